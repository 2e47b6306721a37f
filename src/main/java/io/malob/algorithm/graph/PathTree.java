package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.BestPaths.Direction;
import java.util.Arrays;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/** One path from a source switch to each switch that it can reach. Immutable. */
public final class PathTree {
  private static final int NO_LINK = SharedPaths.NONE;

  private final Adjacency graph;
  private final DatapathId source;

  /** By switch: the last link of its path. */
  private final int[] lastLinks;

  private PathTree(Adjacency graph, DatapathId source, int[] lastLinks) {
    this.graph = graph;
    this.source = source;
    this.lastLinks = lastLinks;
  }

  /**
   * The paths with the fewest links, by breadth-first search; of several, the one whose sequence of
   * switch ids is the smallest. Linear in switches and links.
   */
  public static PathTree fewestHops(Topology topology, DatapathId source) {
    Adjacency graph = topology.adjacency();
    int[] lastLinks = new int[graph.switchCount()];
    Arrays.fill(lastLinks, NO_LINK);
    int start = graph.number(source);
    if (start >= 0) {
      int[] queue = new int[graph.switchCount()];
      int queued = 1;
      queue[0] = start;
      // links come in the order of the switches they reach, so the first to arrive is the smallest
      for (int next = 0; next < queued; next++) {
        int at = queue[next];
        for (int link = graph.firstLink(at); link < graph.firstLink(at + 1); link++) {
          int to = graph.target(link);
          if (to != start && lastLinks[to] == NO_LINK) {
            lastLinks[to] = link;
            queue[queued++] = to;
          }
        }
      }
    }
    return new PathTree(graph, source, lastLinks);
  }

  /**
   * The cheapest paths; of several, the one whose sequence of switch ids is the smallest. O(links x
   * log switches).
   */
  public static PathTree cheapest(Topology topology, DatapathId source, LinkCosts costs) {
    Adjacency graph = topology.adjacency();
    return new PathTree(
        graph,
        source,
        BestPathSearch.cheapest(graph, graph.number(source), Direction.FROM_ROOT, costs)
            .lastLinks());
  }

  /** The path to a switch; empty if it cannot be reached. */
  public Optional<Path> pathTo(DatapathId destination) {
    if (destination.equals(source)) {
      return Optional.of(Path.within(source));
    }
    int end = graph.number(destination);
    if (end < 0 || lastLinks[end] == NO_LINK) {
      return Optional.empty();
    }
    int hops = 0;
    for (int link = lastLinks[end]; link != NO_LINK; link = lastLinks[graph.source(link)]) {
      hops++;
    }
    DirectedLink[] links = new DirectedLink[hops];
    for (int link = lastLinks[end]; link != NO_LINK; link = lastLinks[graph.source(link)]) {
      links[--hops] = graph.link(link);
    }
    return Optional.of(new Path(source, ImmutableList.copyOf(links)));
  }
}
