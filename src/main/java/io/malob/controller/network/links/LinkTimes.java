package io.malob.controller.network.links;

/**
 * The times of link discovery, in milliseconds.
 *
 * @param probeInterval between two probes of a port
 * @param missedProbes how many probes in a row may be lost before a link counts as down
 * @param settle how long a new port is probed before hosts may be attached to it
 */
public record LinkTimes(long probeInterval, int missedProbes, long settle) {
  private static final long MIN_PROBE_LIFE = 1_000;

  /** The max time to detect a lost link and reroute its paths. */
  private static final long REPAIR = 300;

  /**
   * The max age of the last probe of a link, so that its paths are rerouted after the given number
   * of intervals.
   */
  long linkLife() {
    long reserve = missedProbes > 1 ? Math.min(REPAIR, probeInterval / 2) : 0;
    return probeInterval * missedProbes - reserve;
  }

  /**
   * The max age of a valid probe: the lifetime of a link, so that a busy controller, which reads
   * late, does not lose its links.
   */
  long probeLife() {
    return Math.max(MIN_PROBE_LIFE, linkLife());
  }
}
