package io.malob.balancer;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts what was refused, by reason. Thread-safe. */
final class Refusals {
  private static final ImmutableSet<RefusalReason> NO_PACKETS =
      Sets.immutableEnumSet(
          RefusalReason.PATH_FAILED,
          RefusalReason.RULE_REFUSED,
          RefusalReason.SWITCH_AWAY,
          RefusalReason.DROPPED_AT_EDGE);

  private final ImmutableMap<RefusalReason, LongAdder> counts;

  Refusals() {
    counts = Maps.toMap(Arrays.asList(RefusalReason.values()), reason -> new LongAdder());
  }

  void count(RefusalReason reason) {
    requireNonNull(counts.get(reason)).increment();
  }

  /** Counts several at once. */
  void add(RefusalReason reason, long count) {
    requireNonNull(counts.get(reason)).add(count);
  }

  /**
   * How many packets that came to the controller went nowhere: all but what failed later or never
   * came.
   */
  long ofPackets() {
    long sum = 0;
    for (Map.Entry<RefusalReason, LongAdder> each : counts.entrySet()) {
      sum += NO_PACKETS.contains(each.getKey()) ? 0 : each.getValue().sum();
    }
    return sum;
  }

  /** The counts by the names that users see; reasons that never occurred are there with zero. */
  Map<String, Long> byReason() {
    Map<String, Long> result = new LinkedHashMap<>();
    counts.forEach((reason, count) -> result.put(reason.text(), count.sum()));
    return result;
  }
}
