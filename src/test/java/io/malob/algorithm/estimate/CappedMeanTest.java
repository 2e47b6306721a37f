package io.malob.algorithm.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class CappedMeanTest {
  private static final double SMALL = 60_000;
  private static final double LARGE = 100e6;

  private static CappedMean with(CappedMean mean, double value, int times) {
    CappedMean result = mean;
    for (int i = 0; i < times; i++) {
      result = result.with(value, 1);
    }
    return result;
  }

  @Test
  void mean_ofNoValues_isThePrior() {
    assertEquals(5, CappedMean.expecting(5, 1).mean());
  }

  @Test
  void mean_ofFirstValue_countsThePriorAsItsWeightSays() {
    assertEquals(6, CappedMean.expecting(5, 1).with(7, 1).mean());
    assertEquals(7, CappedMean.expecting(5, 0).with(7, 1).mean());
    assertEquals(5.5, CappedMean.expecting(5, 3).with(7, 1).mean());
  }

  @Test
  void mean_ofFewValues_isArithmetic() {
    CappedMean mean = CappedMean.expecting(1, 0).with(10, 1).with(20, 1).with(1_000, 0.5);
    assertEquals((10 + 20 + 500) / 2.5, mean.mean(), 1e-9);
  }

  @Test
  void outlier_amongManyValues_atMostDoublesTheMean() {
    CappedMean usual = with(CappedMean.expecting(SMALL, 1), SMALL, 200);
    double after = usual.with(1e12, 1).mean();
    assertTrue(after > 1.9 * SMALL && after <= 2 * SMALL, () -> "now " + after);
  }

  @Test
  void values_thatHaveBecomeLarger_areFollowedWithinAWindow() {
    CappedMean usual = with(CappedMean.expecting(SMALL, 1), SMALL, 200);
    CappedMean after = with(usual, LARGE, 64);
    assertTrue(after.mean() > LARGE / 2, () -> "now " + after.mean());
  }

  @Test
  void values_thatHaveBecomeSmaller_areFollowed() {
    CappedMean large = with(CappedMean.expecting(SMALL, 1), LARGE, 200);
    CappedMean after = with(large, SMALL, 640);
    assertTrue(after.mean() < 2 * SMALL, () -> "now " + after.mean());
  }

  @Test
  void mean_afterZeros_risesAgain() {
    CappedMean after = with(with(CappedMean.expecting(10, 1), 0, 2_000), 50, 200);
    assertTrue(after.mean() > 40, () -> "now " + after.mean());
  }

  @Test
  void mean_ofManyValues_hasABoundedWeight() {
    assertEquals(CappedMean.WINDOW, with(CappedMean.expecting(1, 1), 1, 10_000).weight());
  }

  /** One download in ten is 100 MB, the others are pages of 60 KB: the mean is 10 MB. */
  @Test
  void mean_ofAMixtureWithAHeavyTail_isNearTheArithmeticMean() {
    Random random = new Random(7);
    CappedMean mean = CappedMean.expecting(SMALL, 1);
    double sum = 0;
    int looks = 0;
    for (int i = 0; i < 20_000; i++) {
      mean = mean.with(random.nextInt(10) == 0 ? LARGE : SMALL, 1);
      if (i >= 100) {
        sum += mean.mean();
        looks++;
      }
    }
    double average = sum / looks;
    double expected = 0.1 * LARGE + 0.9 * SMALL;
    assertEquals(expected, average, 0.15 * expected);
  }
}
