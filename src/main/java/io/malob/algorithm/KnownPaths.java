package io.malob.algorithm;

import io.malob.algorithm.graph.BestPaths;
import io.malob.algorithm.graph.PathOrder;
import io.malob.algorithm.graph.PathSearches;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The best paths by one {@link PathOrder}, as far as they have been searched for: those of some
 * roots, in both directions. A look-up never searches. Thread-safe.
 */
final class KnownPaths {
  private final PathOrder order;
  private final Map<DatapathId, Entry> from;
  private final Map<DatapathId, Entry> to;

  KnownPaths(PathOrder order) {
    this(order, new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
  }

  private KnownPaths(PathOrder order, Map<DatapathId, Entry> from, Map<DatapathId, Entry> to) {
    this.order = order;
    this.from = from;
    this.to = to;
  }

  private static final class Entry {
    private final BestPaths paths;

    /** The number of the snapshot for which the paths were searched for. */
    private final long madeFor;

    /** Whether a path was asked for. */
    private volatile boolean used;

    Entry(BestPaths paths, long madeFor) {
      this.paths = paths;
      this.madeFor = madeFor;
    }

    /** The same with other paths. */
    Entry with(BestPaths other) {
      Entry entry = new Entry(other, madeFor);
      entry.used = used;
      return entry;
    }
  }

  /** A copy for a trial. */
  KnownPaths copy() {
    return new KnownPaths(order, new ConcurrentHashMap<>(from), new ConcurrentHashMap<>(to));
  }

  /** The paths among which is the one between two switches; null if it was not searched for. */
  @Nullable BestPaths of(DatapathId src, DatapathId dst) {
    @Nullable Entry entry = from.get(src);
    if (entry == null) {
      entry = to.get(dst);
    }
    if (entry == null) {
      return null;
    }
    if (!entry.used) {
      entry.used = true;
    }
    return entry.paths;
  }

  /** Searches for the paths from all switches to one, unless they are known. */
  void searchTo(DatapathId root, PathSearches searches, long snapshot) {
    if (!to.containsKey(root)) {
      to.putIfAbsent(root, new Entry(searches.to(root, order), snapshot));
    }
  }

  /** Searches again for paths that are known. */
  BestPaths searchAgain(BestPaths before, PathSearches searches, long snapshot) {
    Entry entry = new Entry(searches.again(before, order), snapshot);
    (before.isFromRoot() ? from : to).put(before.root(), entry);
    return entry.paths;
  }

  /**
   * Searches for the paths of roots, in both directions, unless they are known.
   *
   * @return whether all are known, which they are not if the budget was spent before
   */
  boolean searchForAll(
      Set<DatapathId> roots, PathSearches searches, EffortBudget budget, long snapshot) {
    for (DatapathId root : roots) {
      if (!to.containsKey(root)) {
        if (budget.isSpent()) {
          return false;
        }
        add(searches.to(root, order), budget, snapshot);
      }
      if (!from.containsKey(root)) {
        if (budget.isSpent()) {
          return false;
        }
        add(searches.from(root, order), budget, snapshot);
      }
    }
    return true;
  }

  private void add(BestPaths paths, EffortBudget budget, long snapshot) {
    budget.spend(paths.effort());
    (paths.isFromRoot() ? from : to).put(paths.root(), new Entry(paths, snapshot));
  }

  /**
   * Takes over the paths that hold. Of the others, those that are needed are searched for again,
   * the oldest first, until the budget is spent; the rest of these are kept as they are until the
   * next time.
   *
   * <p>After links were removed, those over these links that are needed are repaired first, until
   * the budget is spent; the rest of these, and all after another change of the topology, are left
   * out. The widest are checked each second anyway, and wait for that.
   */
  void takeOver(
      KnownPaths before,
      Set<DatapathId> needed,
      PathSearches searches,
      EffortBudget budget,
      long snapshot) {
    List<Entry> oldestFirst =
        Stream.concat(before.from.values().stream(), before.to.values().stream())
            .sorted(Comparator.comparingLong(entry -> entry.madeFor))
            .toList();
    for (Entry entry : oldestFirst) {
      boolean isNeeded = entry.used || needed.contains(entry.paths.root());
      @Nullable BestPaths paths =
          searches.inThisTopology(entry.paths, isNeeded && !budget.isSpent());
      if (paths == null) {
        continue;
      }
      boolean isMoved = paths != entry.paths;
      if (isMoved) {
        budget.spend(paths.effort());
      }
      boolean mayWait = budget.isSpent() || (isMoved && order == PathOrder.WIDEST);
      if (searches.hold(paths, order) || (isNeeded && mayWait)) {
        (paths.isFromRoot() ? from : to).put(paths.root(), isMoved ? entry.with(paths) : entry);
      } else if (isNeeded) {
        budget.spend(searchAgain(paths, searches, snapshot).effort());
      }
    }
  }
}
