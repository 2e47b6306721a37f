package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import java.util.SplittableRandom;

/**
 * How a value compares with another one of the same runs: the ratio of their means over all runs,
 * with a 95 % interval. The interval is a percentile bootstrap that draws runs, so that both values
 * of a run stay together (B. Efron, R. Tibshirani: An Introduction to the Bootstrap, 1993, chapter
 * 13).
 *
 * @param ratio of the means
 * @param low lower end of the interval
 * @param high upper end of the interval
 */
public record PairedRatio(double ratio, double low, double high) {
  private static final int RESAMPLES = 2_000;
  private static final long SEED = 1;

  /** Compares two values of the same runs, in the same order. */
  public static PairedRatio of(Sample values, Sample base) {
    ImmutableList<Double> ours = values.inOrder();
    ImmutableList<Double> theirs = base.inOrder();
    int runs = ours.size();
    if (theirs.size() != runs) {
      throw new IllegalArgumentException(runs + " runs cannot be paired with " + theirs.size());
    }
    SplittableRandom random = new SplittableRandom(SEED);
    ImmutableList.Builder<Double> ratios = ImmutableList.builder();
    for (int resample = 0; resample < RESAMPLES; resample++) {
      double ourSum = 0;
      double theirSum = 0;
      for (int drawn = 0; drawn < runs; drawn++) {
        int run = random.nextInt(runs);
        ourSum += ours.get(run);
        theirSum += theirs.get(run);
      }
      ratios.add(ourSum / theirSum);
    }
    Sample all = new Sample(ratios.build());
    return new PairedRatio(values.mean() / base.mean(), all.percentile(2.5), all.percentile(97.5));
  }
}
