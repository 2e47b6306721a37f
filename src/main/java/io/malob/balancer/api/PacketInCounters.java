package io.malob.balancer.api;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.util.EnumSet;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts packet-ins by outcome. Packets that opened a connection or were rejected are counted
 * elsewhere: with placements and rejects. Thread-safe.
 */
public final class PacketInCounters {
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

  private final ImmutableMap<Outcome, LongAdder> counts =
      Maps.toMap(EnumSet.allOf(Outcome.class), any -> new LongAdder());

  public void count(Outcome outcome) {
    requireNonNull(counts.get(outcome)).increment();
  }

  /**
   * The counts of all outcomes, including zeros.
   *
   * @param placed the number of placed connections
   * @param rejects the rejected packets, by reason
   */
  public ImmutableMap<String, Long> with(long placed, RejectCounters rejects) {
    ImmutableMap.Builder<String, Long> byOutcome = ImmutableMap.builder();
    byOutcome.put("placed", placed);
    byOutcome.put("refused", rejects.ofPackets());
    counts.forEach((outcome, count) -> byOutcome.put(outcome.text(), count.sum()));
    return byOutcome.build();
  }
}
