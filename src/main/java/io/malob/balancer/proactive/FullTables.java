package io.malob.balancer.proactive;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The switches whose tables of connections are too full for those of a tracked VIP, by the counters
 * of the rule that catches their first packets. For one thread at a time.
 */
final class FullTables {
  private static final Logger LOG = LoggerFactory.getLogger(FullTables.class);

  /** How long a table counts as full after the last such packet. */
  private static final long FULL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final IPAddress<?> vip;
  private final Map<DatapathId, Count> counts = new HashMap<>();

  /** Of a VIP with that address. */
  FullTables(IPAddress<?> vip) {
    this.vip = vip;
  }

  /**
   * What was counted at a switch.
   *
   * @param fullAtNanos when the number has grown last; empty if it has not
   */
  private record Count(long packets, Optional<Long> fullAtNanos) {
    boolean isFull(long nowNanos) {
      return fullAtNanos.isPresent() && nowNanos - fullAtNanos.get() < FULL_NANOS;
    }
  }

  /** The number of these packets since the rule was added. */
  void counted(DatapathId switchId, long packets, long nowNanos) {
    @Nullable Count before = counts.get(switchId);
    if (before == null) {
      counts.put(switchId, new Count(packets, Optional.empty())); // those of an earlier run
      return;
    }
    long known = packets < before.packets ? 0 : before.packets;
    boolean hasGrown = packets > known;
    boolean wasFull = before.isFull(nowNanos);
    counts.put(switchId, new Count(packets, hasGrown ? Optional.of(nowNanos) : before.fullAtNanos));
    if (hasGrown && !wasFull) {
      LOG.warn(
          "tracking_full switch={} vip={} packets={} - it adds no connections; the controller"
              + " places new ones",
          switchId,
          vip,
          packets - known);
    }
  }

  /** In words, that the table of a switch is full; empty if it is not. */
  Optional<String> problem(DatapathId switchId, long nowNanos) {
    return Optional.ofNullable(counts.get(switchId))
        .filter(each -> each.isFull(nowNanos))
        .map(any -> "the table of connections of switch %s is full".formatted(switchId));
  }
}
