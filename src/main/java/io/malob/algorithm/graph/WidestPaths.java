package io.malob.algorithm.graph;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The paths with the widest bottleneck from one switch; of these, those with the lowest latency,
 * then the fewest links, then the smaller switch ids.
 *
 * <p>Two steps, because a single search that breaks ties on its way can miss the best: a slower but
 * wider way to some switch may turn out too wide for what follows. First the width of each switch,
 * by a max-min search (M. Pollack, The maximum capacity through a network, 1960); then, for each
 * width that is asked for, the cheapest paths over the links that are as wide. Immutable but for
 * the trees that it remembers. Thread-safe.
 */
public final class WidestPaths {
  private final Topology topology;
  private final DatapathId source;
  private final long[] latencies;
  private final double[] linkWidths;

  /** By switch: the bottleneck of the widest path, infinite at the source, 0 if there is none. */
  private final double[] widths;

  private final Map<Double, PathTree> treesByWidth = new ConcurrentHashMap<>();

  /** Searches from a switch; the arrays are by the links' place in the topology. */
  WidestPaths(Topology topology, DatapathId source, long[] latencies, double[] linkWidths) {
    this.topology = topology;
    this.source = source;
    this.latencies = latencies;
    this.linkWidths = linkWidths;
    this.widths = widths(topology.adjacency(), topology.adjacency().number(source), linkWidths);
  }

  private static double[] widths(Adjacency graph, int source, double[] linkWidths) {
    double[] widths = new double[graph.switchCount()];
    Arrays.fill(widths, -1);
    if (source < 0) {
      return widths;
    }
    SwitchHeap seen = new SwitchHeap(graph.switchCount(), (a, b) -> widths[a] > widths[b]);
    widths[source] = Double.POSITIVE_INFINITY;
    seen.raise(source);
    while (!seen.isEmpty()) {
      int at = seen.poll();
      for (int link = graph.firstLink(at); link < graph.firstLink(at + 1); link++) {
        int to = graph.target(link);
        double width = Math.min(widths[at], linkWidths[link]);
        if (width > widths[to]) {
          widths[to] = width;
          seen.raise(to);
        }
      }
    }
    return widths;
  }

  /** The path to a switch; empty if it cannot be reached. */
  public Optional<Path> pathTo(DatapathId destination) {
    int end = topology.adjacency().number(destination);
    if (end < 0 || widths[end] < 0) {
      return destination.equals(source) ? Optional.of(Path.within(source)) : Optional.empty();
    }
    return treesByWidth.computeIfAbsent(widths[end], this::tree).pathTo(destination);
  }

  private PathTree tree(double width) {
    return PathTree.cheapest(
        topology, source, LinkCosts.latencyThenHops(latencies, linkWidths, width));
  }
}
