package io.malob.algorithm.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.estimate.ProbePlan.Need;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProbePlanTest {
  private static final long TICK = 10_000_000;
  private static final int TICKS_A_MINUTE = 6_000;

  /** Sizes of what is sent within a minute. */
  private static List<Integer> minute(double bps, Need need) {
    ProbePlan plan = new ProbePlan(new Random(1)::nextDouble);
    List<Integer> sizes = new ArrayList<>();
    for (int tick = 0; tick < TICKS_A_MINUTE; tick++) {
      int bytes = plan.next(bps, need, 5 + tick * TICK);
      if (bytes > 0) {
        sizes.add(bytes);
      }
    }
    return sizes;
  }

  @ParameterizedTest
  @CsvSource({"UNKNOWN, 0.02", "ROUGH, 0.01", "KNOWN, 0.01", "REST, 0.01"})
  void echoes_takeAtMostTheirShare(Need need, double share) {
    for (double bps : new double[] {0, 0.3e6, 1e6, 5e6, 50e6}) {
      double bits = minute(bps, need).stream().mapToDouble(bytes -> 8 * (bytes + 14)).sum();
      assertTrue(bits <= 60 * share * (bps > 0 ? bps : 1e6), bits + " bits at " + bps);
    }
  }

  @Test
  void sizes_ofAFastLink_comeInTurn() {
    List<Integer> sizes = minute(20e6, Need.KNOWN);
    assertEquals(List.of(64, 720, 1_400), sizes.stream().distinct().sorted().toList());
    for (Integer size : List.of(64, 720, 1_400)) {
      double times = (double) sizes.stream().filter(size::equals).count();
      assertEquals(sizes.size() / 3.0, times, 1);
    }
  }

  @Test
  void largestEcho_ofASlowLink_isSmall() {
    List<Integer> sizes = minute(1e6, Need.UNKNOWN);
    assertEquals(1_400, sizes.get(0), "the first tells what it carries at least");
    assertEquals(256, sizes.stream().skip(1).mapToInt(each -> each).max().orElse(0));
  }

  @Test
  void echoes_whenTheCapacityIsKnown_areFew() {
    assertEquals(8 * 60, minute(50e6, Need.KNOWN).size(), 50);
    assertEquals(2 * 60, minute(50e6, Need.REST).size(), 15);
    assertTrue(minute(50e6, Need.UNKNOWN).size() > 2_000);
  }

  @Test
  void doubt_asksFourTimesASecondWhateverItCosts() {
    assertEquals(4 * 60, minute(100_000, Need.DOUBT).size(), 1);
  }
}
