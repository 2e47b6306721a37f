package io.malob.capability;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How full the tables of switches are; warns before one is full. Thread-safe. */
final class TableFill {
  private static final Logger LOG = LoggerFactory.getLogger(TableFill.class);
  private static final int WARN_PERCENT = 90;

  /** Below that, a warning is over. */
  private static final int OVER_PERCENT = 80;

  /** A switch is polled every ten seconds. */
  private static final long LIFE_NANOS = TimeUnit.SECONDS.toNanos(40);

  private final LongSupplier nanoTime;

  /** How many rules tables can have, by switch. */
  private final Map<DatapathId, ImmutableMap<Integer, Long>> max = new ConcurrentHashMap<>();

  private final Map<DatapathId, SwitchFill> switches = new ConcurrentHashMap<>();

  TableFill(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * One switch.
   *
   * @param tables those that have rules
   * @param readNanos when the switch has told that
   * @param nearlyFull those that were warned of
   */
  private record SwitchFill(
      ImmutableSortedMap<Integer, TableUse> tables, long readNanos, Set<Integer> nearlyFull) {}

  /** A switch has told how many rules its tables can have. */
  void setMax(DatapathId switchId, ImmutableMap<Integer, Long> maxRules) {
    max.put(switchId, maxRules);
  }

  /** A switch has told how many rules its tables have, without those that have none. */
  void setRules(DatapathId switchId, ImmutableMap<Integer, Long> rules) {
    ImmutableMap<Integer, Long> known = max.getOrDefault(switchId, ImmutableMap.of());
    ImmutableSortedMap.Builder<Integer, TableUse> tables = ImmutableSortedMap.naturalOrder();
    rules.forEach((table, count) -> tables.put(table, new TableUse(count, max(known, table))));
    ImmutableSortedMap<Integer, TableUse> now = tables.build();
    switches.compute(
        switchId,
        (same, before) ->
            new SwitchFill(
                now,
                nanoTime.getAsLong(),
                warn(switchId, before == null ? Set.of() : before.nearlyFull, now)));
  }

  private static OptionalLong max(ImmutableMap<Integer, Long> maxRules, int table) {
    @Nullable Long max = maxRules.get(table);
    return max == null ? OptionalLong.empty() : OptionalLong.of(max);
  }

  private static Set<Integer> warn(
      DatapathId switchId, Set<Integer> before, ImmutableSortedMap<Integer, TableUse> now) {
    Set<Integer> nearlyFull = new HashSet<>(before);
    now.forEach(
        (table, use) -> {
          if (use.isAtLeast(WARN_PERCENT) && nearlyFull.add(table)) {
            LOG.warn(
                "table_nearly_full switch={} table={} rules={} max={} - at the max, the switch"
                    + " refuses new connections",
                switchId,
                table,
                use.rules(),
                use.maxRules().getAsLong());
          }
        });
    nearlyFull.removeIf(
        table -> {
          @Nullable TableUse use = now.get(table);
          boolean isOver = use == null || !use.isAtLeast(OVER_PERCENT);
          if (isOver) {
            LOG.info(
                "table_has_room switch={} table={} rules={}",
                switchId,
                table,
                use == null ? 0 : use.rules());
          }
          return isOver;
        });
    return Set.copyOf(nearlyFull);
  }

  /** This controller is no longer master of a switch. */
  void forget(DatapathId switchId) {
    max.remove(switchId);
    switches.remove(switchId);
  }

  /** The tables that have rules, by switch; none of a switch that no longer tells. */
  ImmutableSortedMap<DatapathId, ImmutableSortedMap<Integer, TableUse>> tables() {
    ImmutableSortedMap.Builder<DatapathId, ImmutableSortedMap<Integer, TableUse>> all =
        ImmutableSortedMap.naturalOrder();
    long now = nanoTime.getAsLong();
    switches.forEach(
        (switchId, fill) -> {
          if (!fill.tables.isEmpty() && now - fill.readNanos < LIFE_NANOS) {
            all.put(switchId, fill.tables);
          }
        });
    return all.build();
  }
}
