package io.malob.balancer.api;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.malob.module.EnumCounts;
import java.util.EnumSet;
import java.util.Map;

/** Counts rejects by reason. Thread-safe. */
public final class RejectCounters extends EnumCounts<RejectReason> {
  private static final ImmutableSet<RejectReason> NO_PACKETS =
      Sets.immutableEnumSet(
          RejectReason.PATH_FAILED,
          RejectReason.RULE_REFUSED,
          RejectReason.SWITCH_AWAY,
          RejectReason.DROPPED_AT_EDGE);

  public RejectCounters() {
    super(RejectReason.class);
  }

  /**
   * The number of rejected packet-ins. Excludes connections that failed later, and packets that
   * never reached the controller.
   */
  long ofPackets() {
    return Sets.difference(EnumSet.allOf(RejectReason.class), NO_PACKETS).stream()
        .mapToLong(this::of)
        .sum();
  }

  /** The counts by published name, including zeros. */
  public Map<String, Long> byReason() {
    return by(RejectReason::text);
  }
}
