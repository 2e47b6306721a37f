package io.malob.simulation.fluid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MaxMinSharesTest {
  private static final double EXACT = 0;
  private static final double ROUNDING = 1e-9;

  private static int[] over(int... links) {
    return links;
  }

  @Test
  void oneFlow_getsItsNarrowestLink() {
    assertArrayEquals(
        new double[] {20}, new MaxMinShares(90, 20, 50).of(List.of(over(0, 1, 2))), EXACT);
  }

  @Test
  void flowsOverOneLink_shareItEvenly() {
    assertArrayEquals(
        new double[] {30, 30, 30},
        new MaxMinShares(90).of(List.of(over(0), over(0), over(0))),
        EXACT);
  }

  @Test
  void flowsOverDifferentLinks_doNotMatterToEachOther() {
    assertArrayEquals(
        new double[] {90, 20}, new MaxMinShares(90, 20).of(List.of(over(0), over(1))), EXACT);
  }

  /** The "parking lot": one long flow, and a short one on each of its links. */
  @Test
  void longFlow_isHeldByItsFullestLinkAndOthersTakeTheRest() {
    double[] rates =
        new MaxMinShares(10, 4, 8).of(List.of(over(0, 1, 2), over(0), over(1), over(2)));
    assertArrayEquals(new double[] {2, 8, 2, 6}, rates, EXACT);
  }

  /** Three rounds of filling: link 0 is full at 1, link 1 at 4, link 2 at 7. */
  @Test
  void whatOneLinkHoldsBack_isSharedOnTheNext() {
    double[] rates =
        new MaxMinShares(3, 9, 12)
            .of(List.of(over(0), over(0), over(0, 1), over(1), over(1, 2), over(2)));
    assertArrayEquals(new double[] {1, 1, 1, 4, 4, 8}, rates, EXACT);
  }

  @Test
  void flowWithoutLinks_isInfinitelyFast() {
    assertArrayEquals(
        new double[] {Double.POSITIVE_INFINITY, 5},
        new MaxMinShares(5).of(List.of(over(), over(0))),
        EXACT);
  }

  @Test
  void noFlows_haveNoRates() {
    assertEquals(0, new MaxMinShares(5).of(List.of()).length);
  }

  @Test
  void capacityThatIsNotPositive_isRefusedByName() {
    assertEquals(
        "link 1 cannot have the capacity 0.0",
        assertThrows(IllegalArgumentException.class, () -> new MaxMinShares(5, 0)).getMessage());
    assertThrows(IllegalArgumentException.class, () -> new MaxMinShares(Double.NaN));
  }

  private static IntStream seeds() {
    return IntStream.range(0, 200);
  }

  /**
   * What defines max-min fairness (Bertsekas and Gallager, proposition in 6.5.2): no link carries
   * more than it can, and each flow has a link that is full and on which no flow is faster.
   */
  @ParameterizedTest
  @MethodSource("seeds")
  void anyFlows_fillNoLinkBeyondItsCapacityAndEachHasABottleneck(int seed) {
    Random random = new Random(seed);
    double[] capacities = random.doubles(1 + random.nextInt(12), 1, 100).toArray();
    List<int[]> flows = randomFlows(random, capacities.length);
    double[] rates = new MaxMinShares(capacities).of(flows);

    double[] used = new double[capacities.length];
    double[] fastest = new double[capacities.length];
    for (int flow = 0; flow < rates.length; flow++) {
      for (int link : flows.get(flow)) {
        used[link] += rates[flow];
        fastest[link] = Math.max(fastest[link], rates[flow]);
      }
    }
    for (int link = 0; link < capacities.length; link++) {
      assertTrue(used[link] <= capacities[link] * (1 + ROUNDING), "link " + link);
    }
    for (int flow = 0; flow < rates.length; flow++) {
      double rate = rates[flow];
      assertTrue(
          Arrays.stream(flows.get(flow))
              .anyMatch(
                  link ->
                      used[link] >= capacities[link] * (1 - ROUNDING)
                          && rate >= fastest[link] * (1 - ROUNDING)),
          "flow " + flow);
    }
  }

  private static List<int[]> randomFlows(Random random, int links) {
    List<int[]> flows = new ArrayList<>();
    int count = 1 + random.nextInt(30);
    for (int flow = 0; flow < count; flow++) {
      int[] all = IntStream.range(0, links).filter(link -> random.nextInt(3) == 0).toArray();
      flows.add(all.length == 0 ? over(random.nextInt(links)) : all);
    }
    return flows;
  }
}
