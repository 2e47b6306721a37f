package io.malob.algorithm.health;

/**
 * The share of a new or recovered server: a tenth of its full share at first, then growing linearly
 * with time, so that its caches fill first. Pure.
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
