package io.malob.algorithm.estimate;

import java.util.OptionalLong;

/**
 * The latency of one direction of a link, from probes that go from the controller over its first
 * switch, the link and its second switch back (MALOB thesis, section 3.3.1): the time that they
 * take less half of the control round trips of both switches. Of all three the minimum over the
 * same window is taken, and the result is averaged.
 *
 * <p>Halves are right where messages take as long to a switch as back. Where they do not, one
 * direction of a link reads too much by what the other reads too little: the sum of both is right.
 *
 * <p>Times are nanoseconds. For one thread; times never go back.
 */
public final class LatencyEstimator {
  private final Limits limits;
  private final WindowMinimum trips;
  private final Ewma latency;

  /**
   * The parameters of the estimator.
   *
   * @param windowNanos over which minima are taken; those of the switches should have the same
   * @param averageNanos the time constant of the average
   * @param noiseNanos results below zero by no more than that come from noise and count as zero
   * @param maxNanos the max plausible latency
   */
  public record Limits(long windowNanos, long averageNanos, long noiseNanos, long maxNanos) {}

  /** The use of a probe's time. */
  public enum Outcome {
    /** It is part of the latency. */
    USED,
    /** It is part of the latency, as zero: the result was a little below. */
    CLAMPED,
    /** Not used: the result is far below zero. */
    NEGATIVE,
    /** Not used: nothing can take so long, or no time at all. */
    ABSURD,
    /** Not used yet: the round trip of one of the switches is not known. */
    NO_CONTROL
  }

  /** An estimator without samples. */
  public LatencyEstimator(Limits limits) {
    this.limits = limits;
    trips = new WindowMinimum(limits.windowNanos());
    latency = new Ewma(limits.averageNanos());
  }

  /**
   * A probe has come back.
   *
   * @param tookNanos from the controller to the controller
   * @param first control round trips of the switch that sent it
   * @param second control round trips of the switch that it came back from
   */
  public Outcome add(long tookNanos, WindowMinimum first, WindowMinimum second, long nowNanos) {
    if (tookNanos <= 0) {
      return Outcome.ABSURD;
    }
    trips.add(tookNanos, nowNanos);
    OptionalLong firstTrip = first.get(nowNanos);
    OptionalLong secondTrip = second.get(nowNanos);
    if (firstTrip.isEmpty() || secondTrip.isEmpty()) {
      return Outcome.NO_CONTROL;
    }
    long control = firstTrip.getAsLong() + secondTrip.getAsLong();
    return take(trips.get(nowNanos).orElse(tookNanos) - control / 2, nowNanos);
  }

  private Outcome take(long result, long nowNanos) {
    if (result < -limits.noiseNanos()) {
      return Outcome.NEGATIVE;
    }
    if (result > limits.maxNanos()) {
      return Outcome.ABSURD;
    }
    latency.add((double) Math.max(0, result), nowNanos);
    return result < 0 ? Outcome.CLAMPED : Outcome.USED;
  }

  /** The latency, never below zero; empty before the first probe that was used. */
  public OptionalLong latencyNanos() {
    return latency.get().isPresent()
        ? OptionalLong.of(Math.round(latency.get().getAsDouble()))
        : OptionalLong.empty();
  }
}
