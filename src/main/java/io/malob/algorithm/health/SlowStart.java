package io.malob.algorithm.health;

/**
 * How a server that is new, or back, comes to its share: with a tenth of it at first, and more in
 * proportion to time, so that its caches fill before it is like the others. Pure.
 *
 * @param durationNanos how long it takes, at least 1
 */
public record SlowStart(long durationNanos) {
  /** The share that a server begins with. */
  public static final double FIRST_SHARE = 0.1;

  /** The part of its full share that a server gets, from {@link #FIRST_SHARE} to 1. */
  public double share(long ageNanos) {
    double part = Math.min(1, Math.max(0, ageNanos) / (double) durationNanos);
    return FIRST_SHARE + (1 - FIRST_SHARE) * part;
  }
}
