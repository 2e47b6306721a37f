package io.malob.latency;

import java.util.Map;

/**
 * What became of probes since the controller started. What is neither answered, lost nor unsent is
 * still on its way.
 *
 * @param links probes over links
 * @param control probes to one switch and back
 * @param clamped results of links a little below zero, which counted as zero
 * @param discarded by reason, frames that were ignored and results that were not used: {@code
 *     malformed}, {@code foreign} (of another controller), {@code forged}, {@code not_awaited}
 *     (repeated, or too late), {@code elsewhere} (where it was not sent to), {@code negative},
 *     {@code absurd}, {@code no_control} (the round trip of one of the switches is not known)
 */
public record LatencyCounters(
    ProbeCount links, ProbeCount control, long clamped, Map<String, Long> discarded) {

  /**
   * Probes of one kind.
   *
   * @param sent handed over to connections
   * @param answered came back in time
   * @param lost did not
   * @param unsent not sent, because the switch was gone or did not read, or too many are on their
   *     way
   */
  public record ProbeCount(long sent, long answered, long lost, long unsent) {}
}
