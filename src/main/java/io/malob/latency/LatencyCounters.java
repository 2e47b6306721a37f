package io.malob.latency;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Map;

/**
 * The outcomes of probes since the controller's start. Probes that are neither answered, lost nor
 * unsent are still pending.
 *
 * @param links probes over links
 * @param control probes to one switch and back
 * @param clamped results of links a little below zero, which counted as zero
 * @param discarded by reason, frames that were ignored and results that were not used: {@code
 *     malformed}, {@code foreign} (of another controller), {@code forged}, {@code not_awaited}
 *     (repeated, or too late), {@code elsewhere} (at the wrong port), {@code negative}, {@code
 *     absurd}, {@code no_control} (the round trip of one of the switches is not known)
 */
public record LatencyCounters(
    @JsonProperty("link_probes") ProbeCount links,
    @JsonProperty("control_probes") ProbeCount control,
    long clamped,
    Map<String, Long> discarded) {

  /**
   * Probes of one kind.
   *
   * @param sent passed to connections
   * @param answered came back in time
   * @param lost did not come back in time
   * @param unsent not sent, because the switch was disconnected or did not read, or too many are
   *     pending
   */
  public record ProbeCount(long sent, long answered, long lost, long unsent) {}
}
