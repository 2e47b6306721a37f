package io.malob.algorithm.estimate;

/**
 * An arithmetic mean of values with heavy tails, of which the latest count most. Immutable.
 *
 * <p>Why arithmetic: it is to predict completion times, which are linear in it (a latency, plus
 * bytes by throughput), so that the choice with the least predicted time is the one with the least
 * expected time. A median or a mean of logarithms describes the usual connection better, but tells
 * next to nothing of the few large ones, which take most of all time.
 *
 * <p>Why capped: one rare value a thousand times the others must not decide for the next hundred.
 * So a value of weight 1 counts at most as much as all others together; what is usual is not
 * touched by that, nor is anything that at least one in {@link #WINDOW} values shows, because the
 * cap grows with the mean. What is no larger than the expected value is never capped.
 *
 * @param prior what is expected before anything is known; positive
 * @param mean the mean
 * @param weight how much the values so far count, at most {@link #WINDOW}
 */
public record CappedMean(double prior, double mean, double weight) {

  /** The window of the mean, in values of weight 1. */
  public static final double WINDOW = 64;

  /** Below this weight, outliers cannot be detected. */
  private static final double SURE = 8;

  /**
   * A mean that has seen no values.
   *
   * @param prior what is expected; positive
   * @param weight as how many values that counts
   */
  public static CappedMean expecting(double prior, double weight) {
    return new CappedMean(prior, prior, weight);
  }

  /**
   * The mean with one more value.
   *
   * @param value not negative
   * @param valueWeight above 0, at most 1
   */
  public CappedMean with(double value, double valueWeight) {
    double total = Math.min(WINDOW, weight + valueWeight);
    double share = valueWeight / total;
    double cap = weight < SURE ? Double.MAX_VALUE : Math.max(mean, prior) * total;
    return new CappedMean(prior, mean + share * (Math.min(value, cap) - mean), total);
  }
}
