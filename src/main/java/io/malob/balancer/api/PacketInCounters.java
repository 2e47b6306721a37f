package io.malob.balancer.api;

import com.google.common.collect.ImmutableMap;
import io.malob.module.EnumCounts;
import java.util.Locale;

/**
 * Counts packet-ins by outcome. Packets that opened a connection or were rejected are counted
 * elsewhere: with placements and rejects. Thread-safe.
 */
public final class PacketInCounters extends EnumCounts<PacketInCounters.Outcome> {
  /** The outcome of a packet-in. */
  public enum Outcome {
    /** Its connection is known. The packet was forwarded, or is pending until the path is ready. */
    KNOWN,
    /**
     * It may belong to a connection from before the controller's start and was left to its rules.
     */
    EARLIER,
    /** A copy of a packet with which a client ended its connection. */
    END,
    /** ARP or neighbour discovery for a VIP. */
    ARP,
    /** An answer of a member to a health check. */
    CHECK,
    /** It does not concern the balancer and went to other modules. */
    OTHER;

    private String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public PacketInCounters() {
    super(Outcome.class);
  }

  /**
   * The counts of all outcomes, including zeros.
   *
   * @param placed the number of placed connections
   * @param rejects the rejected packets, by reason
   */
  public ImmutableMap<String, Long> with(long placed, RejectCounters rejects) {
    return ImmutableMap.<String, Long>builder()
        .put("placed", placed)
        .put("refused", rejects.ofPackets())
        .putAll(by(Outcome::text))
        .build();
  }
}
