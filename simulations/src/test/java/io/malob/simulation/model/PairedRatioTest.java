package io.malob.simulation.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class PairedRatioTest {
  private static Sample sample(DoubleStream values) {
    return new Sample(values.boxed().toList());
  }

  /** However much runs differ, each is half of its base. */
  @Test
  void pairs_thatAllHaveTheSameRatio_haveNoInterval() {
    Sample base = new Sample(List.of(1.0, 40.0, 7.0));
    Sample half = new Sample(List.of(0.5, 20.0, 3.5));
    assertEquals(new PairedRatio(0.5, 0.5, 0.5), PairedRatio.of(half, base));
  }

  @Test
  void ratio_isThatOfTheMeans() {
    PairedRatio ratio =
        PairedRatio.of(new Sample(List.of(1.0, 5.0)), new Sample(List.of(2.0, 2.0)));
    assertEquals(1.5, ratio.ratio());
    assertEquals(0.5, ratio.low());
    assertEquals(2.5, ratio.high());
  }

  /**
   * The mean of 400 values with standard deviation 0.5 / sqrt(3): 1.96 standard errors each way.
   */
  @Test
  void interval_isThatOfTheNormalApproximation() {
    SplittableRandom random = new SplittableRandom(3);
    Sample values = sample(DoubleStream.generate(() -> 0.5 + random.nextDouble()).limit(400));
    Sample ones = sample(DoubleStream.generate(() -> 1).limit(400));
    PairedRatio ratio = PairedRatio.of(values, ones);
    double expected = 2 * 1.96 * 0.5 / Math.sqrt(3 * 400);
    assertEquals(expected, ratio.high() - ratio.low(), 0.1 * expected);
    assertTrue(ratio.low() < ratio.ratio() && ratio.ratio() < ratio.high(), ratio.toString());
  }

  @Test
  void samplesOfDifferentRuns_areRefused() {
    Sample one = new Sample(List.of(1.0));
    Sample two = new Sample(List.of(1.0, 2.0));
    assertThrows(IllegalArgumentException.class, () -> PairedRatio.of(one, two));
  }
}
