package io.malob.controller.network.links;

/**
 * When link discovery does what. All times are milliseconds.
 *
 * @param probeInterval between two probes of a port
 * @param missedProbes how many probes in a row may be lost before a link counts as gone
 * @param settle how long a new port is probed before hosts may be attached to it
 */
public record LinkTimes(long probeInterval, int missedProbes, long settle) {
  /** How old the last probe of a link may be. */
  long linkLife() {
    return probeInterval * missedProbes;
  }
}
