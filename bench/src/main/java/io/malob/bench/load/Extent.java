package io.malob.bench.load;

/**
 * When a run ends: after some time, or when so many connections have been placed.
 *
 * @param warmupSeconds the time before the measured time
 * @param seconds the measured time at most
 * @param connections how many are asked for at most, those of the warm-up included
 */
public record Extent(int warmupSeconds, int seconds, long connections) {

  /** Ends after some time only. */
  public static Extent ofSeconds(int warmupSeconds, int seconds) {
    return new Extent(warmupSeconds, seconds, Long.MAX_VALUE);
  }
}
