package io.malob.controller.network.links;

/**
 * When link discovery does what. All times are milliseconds.
 *
 * @param probeInterval between two probes of a port
 * @param missedProbes how many probes in a row may be lost before a link counts as gone
 * @param settle how long a new port is probed before hosts may be attached to it
 */
public record LinkTimes(long probeInterval, int missedProbes, long settle) {
  private static final long MIN_PROBE_LIFE = 1_000;

  /** To notice that a link has gone, and to lead its paths another way, at most. */
  private static final long REPAIR = 300;

  /**
   * How old the last probe of a link may be: so that what follows from its end is done when as many
   * intervals have passed.
   */
  long linkLife() {
    long reserve = missedProbes > 1 ? Math.min(REPAIR, probeInterval / 2) : 0;
    return probeInterval * missedProbes - reserve;
  }

  /**
   * How long a probe may take until it is believed no more: as long as a link lives without one, so
   * that a controller with much to do, which reads late, does not lose its links.
   */
  long probeLife() {
    return Math.max(MIN_PROBE_LIFE, linkLife());
  }
}
