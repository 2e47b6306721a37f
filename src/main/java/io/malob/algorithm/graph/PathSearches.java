package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.BestPaths.Direction;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Searches for paths with one {@link LinkValues}, and with the numbers of connections at the first
 * use of a width. Each search examines all links of the network; used by one thread.
 */
public final class PathSearches {
  private final LinkValues values;
  private final LinkMetrics hops;
  private final LinkMetrics latency;

  /** The links that have changed, by their previous values. */
  private final Map<LinkMetrics, int[]> unlike = new HashMap<>();

  private @Nullable Adjacency before;
  private @Nullable RemovedLinks removed;

  private @Nullable LinkMetrics shares;
  private @Nullable KShortestPaths shortest;

  PathSearches(LinkValues values) {
    this.values = values;
    this.latency = LinkMetrics.byCost(values.latencyThenHops(), values.topology().links().size());
    this.hops = new LinkMetrics(values.hopsThenLatency(), latency.widths());
  }

  /** The best paths from a switch to all others. */
  public BestPaths from(DatapathId root, PathOrder order) {
    return search(root, Direction.FROM_ROOT, order);
  }

  /** The best paths from all other switches to one. */
  public BestPaths to(DatapathId root, PathOrder order) {
    return search(root, Direction.TO_ROOT, order);
  }

  /** The paths that were the best before, searched for anew. */
  public BestPaths again(BestPaths before, PathOrder order) {
    return search(before.root(), before.direction(), order);
  }

  /**
   * Paths of another topology in this one, which has the same switches and fewer links: still the
   * best with the values from before.
   *
   * @param repairing whether paths over removed links are repaired
   * @return null if a search is needed, as always if this topology has other switches or more links
   */
  public @Nullable BestPaths inThisTopology(BestPaths paths, boolean repairing) {
    Adjacency now = values.topology().adjacency();
    if (paths.graph() == now) {
      return paths;
    }
    if (paths.graph() != before) {
      before = paths.graph();
      removed = RemovedLinks.between(before, now);
    }
    return removed == null ? null : paths.without(removed, repairing);
  }

  private BestPaths search(DatapathId root, Direction direction, PathOrder order) {
    return BestPathSearch.search(values.topology().adjacency(), root, direction, metrics(order));
  }

  /**
   * Up to k paths without loops with the lowest latency, the best first; none if there is no path.
   * Costs less if the previous search was for the same destination.
   */
  public ImmutableList<Path> shortest(DatapathId src, DatapathId dst, int k) {
    @Nullable KShortestPaths toDst = shortest;
    if (toDst == null || !toDst.destination().equals(dst)) {
      toDst = values.shortestTo(dst);
      shortest = toDst;
    }
    return toDst.from(src, k);
  }

  /**
   * Whether paths that were found with other values and loads are still the best, or nearly so; see
   * {@link BestPaths#holds}.
   */
  public boolean hold(BestPaths before, PathOrder order) {
    LinkMetrics now = metrics(order);
    return before.holds(
        now, unlike.computeIfAbsent(before.metrics(), metrics -> metrics.unlike(now)));
  }

  private LinkMetrics metrics(PathOrder order) {
    if (order != PathOrder.WIDEST) {
      return order == PathOrder.FEWEST_HOPS ? hops : latency;
    }
    if (shares == null) {
      shares = new LinkMetrics(latency.costs(), LinkWidths.of(values.shares()));
    }
    return shares;
  }
}
