package io.malob.algorithm;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.PathSearches;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Some paths with the lowest latency for those pairs of switches that were searched. A look-up
 * never searches. Thread-safe.
 */
record KnownAlternatives(LinkValues values, Map<Pair, ImmutableList<Path>> byPair) {
  /** How many paths of a pair are known. */
  private static final int PATHS = 4;

  record Pair(DatapathId src, DatapathId dst) {}

  /** None yet, with these values. */
  KnownAlternatives(LinkValues values) {
    this(values, new ConcurrentHashMap<>());
  }

  /** A copy for a trial. */
  KnownAlternatives copy() {
    return new KnownAlternatives(values, new ConcurrentHashMap<>(byPair));
  }

  /** Whether they are the same with other values, except for noise. */
  boolean hold(LinkValues now) {
    return now.hasLatenciesLike(values);
  }

  /** The paths of a pair, the best first; null if they were not searched for. */
  @Nullable ImmutableList<Path> of(Pair pair) {
    return byPair.get(pair);
  }

  /** Searches for the paths of a pair, unless they are known. */
  void search(Pair pair) {
    search(pair, values.searches());
  }

  private void search(Pair pair, PathSearches searches) {
    if (!byPair.containsKey(pair)) {
      byPair.putIfAbsent(pair, searches.shortest(pair.src, pair.dst, PATHS));
    }
  }

  /** Searches the same pairs again with other values, within the budget. */
  KnownAlternatives with(LinkValues newValues, EffortBudget budget) {
    KnownAlternatives next = new KnownAlternatives(newValues);
    PathSearches searches = newValues.searches();
    byPair.keySet().stream()
        .sorted(Comparator.comparing(Pair::dst).thenComparing(Pair::src))
        .takeWhile(pair -> !budget.isSpent())
        .forEach(
            pair -> {
              next.search(pair, searches);
              budget.spend(newValues.topology().links().size());
            });
    return next;
  }
}
