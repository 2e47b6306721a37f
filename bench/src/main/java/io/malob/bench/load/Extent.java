package io.malob.bench.load;

/**
 * The end of a run: after some time, or after a number of placed connections.
 *
 * @param warmupSeconds the time before the measured time
 * @param seconds the measured time at most
 * @param connections the max number, including those of the warm-up
 */
public record Extent(int warmupSeconds, int seconds, long connections) {

  /** Ends after some time only. */
  public static Extent ofSeconds(int warmupSeconds, int seconds) {
    return new Extent(warmupSeconds, seconds, Long.MAX_VALUE);
  }
}
