package io.malob.algorithm.estimate;

import java.util.OptionalDouble;

/**
 * An exponentially weighted moving average whose weights depend on time, not on how many values
 * come: after one time constant, what was before counts for 1/e. The first value is taken as it is.
 * For one thread; times never go back.
 */
public final class Ewma {
  private final double timeConstantNanos;
  private double average = Double.NaN;
  private long atNanos;

  /** An average with this time constant. */
  public Ewma(long timeConstantNanos) {
    this.timeConstantNanos = (double) timeConstantNanos;
  }

  /** Adds the value of now. */
  public void add(double value, long nowNanos) {
    double before = Math.exp(-(nowNanos - atNanos) / timeConstantNanos);
    average = Double.isNaN(average) ? value : before * average + (1 - before) * value;
    atNanos = nowNanos;
  }

  /** The average; empty before the first value. */
  public OptionalDouble get() {
    return Double.isNaN(average) ? OptionalDouble.empty() : OptionalDouble.of(average);
  }
}
