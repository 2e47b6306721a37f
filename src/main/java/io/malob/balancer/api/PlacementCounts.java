package io.malob.balancer.api;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.algorithm.Algorithm;
import io.malob.balancer.api.BalancerActivity.PlacementCount;
import io.malob.state.catalog.Service;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts what became of new connections, by service and algorithm. Bounded: what there is no room
 * for is counted together. Thread-safe; takes no lock for what was counted before.
 */
public final class PlacementCounts {
  /** How many pairs of service and algorithm are told apart. */
  public static final int MAX = 1_024;

  /** The service that is shown for all further pairs. */
  public static final String OTHERS = "others";

  private final Map<String, Map<String, Tally>> byService = new ConcurrentHashMap<>();
  private final Tally others = new Tally();

  /** Whether there is no room for another pair. Readers need no lock to learn that. */
  private volatile boolean full;

  /** Of one service and algorithm. */
  public static final class Tally {
    private final LongAdder placed = new LongAdder();
    private final ImmutableMap<RejectReason, LongAdder> refused =
        Maps.toMap(EnumSet.allOf(RejectReason.class), any -> new LongAdder());

    public void placed() {
      placed.increment();
    }

    public void refused(RejectReason reason) {
      requireNonNull(refused.get(reason)).increment();
    }
  }

  /** What to count connections to that service by, as the services table names it. */
  public Tally of(Service service, Algorithm algorithm) {
    @Nullable Map<String, Tally> known = byService.get(service.id());
    @Nullable Tally tally = known == null ? null : known.get(algorithm.name());
    if (tally != null) {
      return tally;
    }
    return full ? others : add(service.id(), algorithm.name());
  }

  private synchronized Tally add(String service, String algorithm) {
    full = byService.values().stream().mapToInt(Map::size).sum() >= MAX;
    return full
        ? others
        : byService
            .computeIfAbsent(service, any -> new ConcurrentHashMap<>())
            .computeIfAbsent(algorithm, any -> new Tally());
  }

  /** How many were placed. */
  public long placed() {
    return all().stream()
        .filter(line -> line.outcome().equals(PlacementCount.PLACED))
        .mapToLong(PlacementCount::count)
        .sum();
  }

  /** All counts, in the order of services, algorithms and outcomes; no refusals that never were. */
  public List<PlacementCount> all() {
    List<PlacementCount> lines = new ArrayList<>();
    byService.forEach(
        (service, tallies) ->
            tallies.forEach((algorithm, tally) -> add(lines, service, algorithm, tally)));
    lines.sort(
        Comparator.comparing(PlacementCount::serviceId)
            .thenComparing(PlacementCount::algorithm)
            .thenComparing(PlacementCount::outcome));
    if (others.placed.sum() > 0) {
      add(lines, OTHERS, OTHERS, others);
    }
    return lines;
  }

  private static void add(
      List<PlacementCount> lines, String service, String algorithm, Tally tally) {
    lines.add(new PlacementCount(service, algorithm, PlacementCount.PLACED, tally.placed.sum()));
    tally.refused.forEach(
        (reason, count) -> {
          if (count.sum() > 0) {
            lines.add(new PlacementCount(service, algorithm, reason.text(), count.sum()));
          }
        });
  }
}
