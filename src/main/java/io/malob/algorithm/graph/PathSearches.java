package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.BestPaths.Direction;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Searches for paths with one {@link LinkValues}, and with the connections on links as they are
 * when a width is first needed. Each search looks at all links of the network; used by one thread.
 */
public final class PathSearches {
  private final LinkValues values;
  private final LinkCosts hops;
  private final LinkCosts latency;
  private final LinkWidths alike;
  private @Nullable LinkWidths shares;
  private @Nullable KShortestPaths shortest;

  PathSearches(LinkValues values) {
    this.values = values;
    this.hops = values.hopsThenLatency();
    this.latency = values.latencyThenHops();
    this.alike = LinkWidths.alike(values.topology().links().size());
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

  private BestPaths search(DatapathId root, Direction direction, PathOrder order) {
    return BestPathSearch.search(values.topology(), root, direction, costs(order), widths(order));
  }

  /**
   * Up to k paths without loops with the lowest latency, the best first; none if there is no way.
   * Costs less if the search before was for the same destination.
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
    return before.holds(costs(order), widths(order));
  }

  private LinkCosts costs(PathOrder order) {
    return order == PathOrder.FEWEST_HOPS ? hops : latency;
  }

  private LinkWidths widths(PathOrder order) {
    if (order != PathOrder.WIDEST) {
      return alike;
    }
    if (shares == null) {
      shares = LinkWidths.of(values.shares());
    }
    return shares;
  }
}
