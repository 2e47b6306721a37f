package io.malob.balancer.api;

import io.malob.algorithm.Algorithm;
import io.malob.balancer.api.BalancerActivity.PlacementCount;
import io.malob.module.EnumCounts;
import io.malob.state.catalog.Service;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the outcomes of new connections by service and algorithm. Bounded: pairs beyond {@link
 * #MAX} share one tally. Thread-safe; takes no lock for a known pair.
 */
public final class PlacementCounts {
  /** The max number of pairs of service and algorithm with a tally of their own. */
  public static final int MAX = 1_024;

  /** The name of service and algorithm for all further pairs. */
  public static final String OTHERS = "others";

  private final Map<String, Map<String, Tally>> byService = new ConcurrentHashMap<>();
  private final Tally others = new Tally();

  /** Whether the bound is reached; volatile, so that readers need no lock. */
  private volatile boolean full;

  /** The counts of one service and algorithm. */
  public static final class Tally {
    private final LongAdder placed = new LongAdder();
    private final EnumCounts<RejectReason> refused = new EnumCounts<>(RejectReason.class);

    public void placed() {
      placed.increment();
    }

    public void refused(RejectReason reason) {
      refused.count(reason);
    }
  }

  /** The tally of connections to a service by an algorithm. */
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

  /** The number of placed connections. */
  public long placed() {
    return all().stream()
        .filter(line -> line.outcome().equals(PlacementCount.PLACED))
        .mapToLong(PlacementCount::count)
        .sum();
  }

  /** All counts, ordered by service, algorithm and outcome, without rejects that never occurred. */
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
    tally
        .refused
        .by(RejectReason::text)
        .forEach(
            (reason, count) -> {
              if (count > 0) {
                lines.add(new PlacementCount(service, algorithm, reason, count));
              }
            });
  }
}
