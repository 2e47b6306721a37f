package io.malob.balancer.api;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts rejects by reason. Thread-safe. */
public final class RejectCounters {
  private static final ImmutableSet<RejectReason> NO_PACKETS =
      Sets.immutableEnumSet(
          RejectReason.PATH_FAILED,
          RejectReason.RULE_REFUSED,
          RejectReason.SWITCH_AWAY,
          RejectReason.DROPPED_AT_EDGE);

  private final ImmutableMap<RejectReason, LongAdder> counts;

  public RejectCounters() {
    counts = Maps.toMap(Arrays.asList(RejectReason.values()), reason -> new LongAdder());
  }

  public void count(RejectReason reason) {
    requireNonNull(counts.get(reason)).increment();
  }

  /** Counts several at once. */
  public void add(RejectReason reason, long count) {
    requireNonNull(counts.get(reason)).add(count);
  }

  /**
   * The number of rejected packet-ins. Excludes connections that failed later, and packets that
   * never reached the controller.
   */
  long ofPackets() {
    long sum = 0;
    for (Map.Entry<RejectReason, LongAdder> each : counts.entrySet()) {
      sum += NO_PACKETS.contains(each.getKey()) ? 0 : each.getValue().sum();
    }
    return sum;
  }

  /** The counts by published name, including zeros. */
  public Map<String, Long> byReason() {
    Map<String, Long> result = new LinkedHashMap<>();
    counts.forEach((reason, count) -> result.put(reason.text(), count.sum()));
    return result;
  }
}
