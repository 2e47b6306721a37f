package io.malob.balancer.api;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.util.EnumSet;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what became of the packets that switches sent to the controller. Those that opened a
 * connection, and those that were refused, are counted with connections and refusals already.
 * Thread-safe.
 */
public final class PacketInCounters {
  /** What became of a packet-in. */
  public enum Outcome {
    /** Its connection was known: it was sent on its way, or waits for its path. */
    KNOWN,
    /**
     * It may belong to a connection of before the controller's start, and was left to its rules.
     */
    EARLIER,
    /** A copy that told that a client has ended its connection. */
    END,
    /** ARP for a VIP. */
    ARP,
    /** An answer of a member to a health check. */
    CHECK,
    /** None of the balancer's business: other modules got it. */
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
   * All outcomes, zeros too.
   *
   * @param placed how many connections were placed
   * @param rejects how many packets were refused, by reason
   */
  public ImmutableMap<String, Long> with(long placed, RejectCounters rejects) {
    ImmutableMap.Builder<String, Long> byOutcome = ImmutableMap.builder();
    byOutcome.put("placed", placed);
    byOutcome.put("refused", rejects.ofPackets());
    counts.forEach((outcome, count) -> byOutcome.put(outcome.text(), count.sum()));
    return byOutcome.build();
  }
}
