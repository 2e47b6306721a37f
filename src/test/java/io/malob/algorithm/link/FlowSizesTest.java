package io.malob.algorithm.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class FlowSizesTest {
  private final FlowSizes sizes = new FlowSizes();

  private void learn(int flows, long bytes) {
    for (int i = 0; i < flows; i++) {
      sizes.learn(bytes);
    }
  }

  @Test
  void mean_beforeAnyFlowHasEnded_isThatOfASmallPage() {
    assertEquals(FlowSizes.PRIOR_BYTES, sizes.meanBytes());
  }

  @Test
  void mean_ofEqualFlows_isNearTheirSize() {
    learn(300, 1_000_000);
    assertEquals(1_000_000, sizes.meanBytes(), 10_000);
  }

  @Test
  void remainder_ofEqualFlows_isWhatIsMissing() {
    learn(300, 1_000_000);
    assertEquals(600_000, sizes.expectedBytes(400_000, 0), 6_000);
    assertEquals(100_000, sizes.expectedBytes(900_000, 0), 10_000);
  }

  @Test
  void flow_beyondAllThatHaveEnded_countsAsOneMoreNewFlow() {
    learn(300, 1_000_000);
    assertEquals(sizes.meanBytes(), sizes.expectedBytes(50_000_000, 0), 1);
  }

  @Test
  void flowLargerThanAMouse_countsForSeveralNewOnes() {
    for (int i = 0; i < 100; i++) {
      learn(9, 10_000);
      learn(1, 10_000_000);
    }
    assertTrue(sizes.meanBytes() < 1_500_000);
    assertTrue(sizes.expectedBytes(100_000, 0) > 5 * sizes.expectedBytes(0, 0));
  }

  @Test
  void sizes_thatHaveChanged_areForgotten() {
    learn(1_000, 10_000_000);
    learn(5 * FlowSizes.WINDOW, 1_000);
    assertTrue(sizes.meanBytes() < 100_000, "" + sizes.meanBytes());
  }

  @Test
  void quietFlow_isExpectedHalfAsMuchAfterASecond() {
    assertEquals(sizes.expectedBytes(5_000_000, 0) / 2, sizes.expectedBytes(5_000_000, 1));
  }

  @Test
  void sizes_beyondReason_areTakenAsTheyAre() {
    sizes.learn(Long.MAX_VALUE);
    sizes.learn(-1);
    sizes.learn(0);
    assertTrue(Double.isFinite(sizes.meanBytes()) && sizes.meanBytes() > 0);
    assertTrue(sizes.expectedBytes(Long.MAX_VALUE, 0) > 0);
  }
}
