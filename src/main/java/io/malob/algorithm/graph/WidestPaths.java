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
  /**
   * Widths that differ by less than a tenth are the same: what is left of links goes up and down.
   */
  private static final double NOISE = 0.1;

  private static final int NO_LINK = CheapestPaths.NO_LINK;

  private final Topology topology;
  private final DatapathId source;
  private final long[] latencies;
  private final double[] linkWidths;

  /** By switch: the bottleneck of the widest path, infinite at the source, negative if none. */
  private final double[] widths;

  /** By switch: the last link of one of its widest paths. */
  private final int[] lastLinks;

  private final Map<Double, PathTree> treesByWidth = new ConcurrentHashMap<>();

  /** Searches from a switch; the arrays are by the links' place in the topology. */
  WidestPaths(Topology topology, DatapathId source, long[] latencies, double[] linkWidths) {
    this.topology = topology;
    this.source = source;
    this.latencies = latencies;
    this.linkWidths = linkWidths;
    this.widths = new double[topology.adjacency().switchCount()];
    this.lastLinks = new int[widths.length];
    Arrays.fill(widths, -1);
    Arrays.fill(lastLinks, NO_LINK);
    search(topology.adjacency(), topology.adjacency().number(source));
  }

  private void search(Adjacency graph, int start) {
    if (start < 0) {
      return;
    }
    SwitchHeap seen = new SwitchHeap(graph.switchCount(), (a, b) -> widths[a] > widths[b]);
    widths[start] = Double.POSITIVE_INFINITY;
    seen.raise(start);
    while (!seen.isEmpty()) {
      int at = seen.poll();
      for (int link = graph.firstLink(at); link < graph.firstLink(at + 1); link++) {
        int to = graph.target(link);
        double width = Math.min(widths[at], linkWidths[link]);
        if (width > widths[to]) {
          widths[to] = width;
          lastLinks[to] = link;
          seen.raise(to);
        }
      }
    }
  }

  /** The path to a switch; empty if it cannot be reached. */
  public Optional<Path> pathTo(DatapathId destination) {
    int end = topology.adjacency().number(destination);
    if (end < 0 || widths[end] < 0) {
      return destination.equals(source) ? Optional.of(Path.within(source)) : Optional.empty();
    }
    return treesByWidth.computeIfAbsent(widths[end], this::tree).pathTo(destination);
  }

  /** The bottleneck to a switch when this was searched for; 0 if it cannot be reached. */
  public double widthTo(DatapathId destination) {
    int end = topology.adjacency().number(destination);
    return end < 0 ? 0 : Math.max(0, widths[end]);
  }

  private PathTree tree(double width) {
    return PathTree.cheapest(
        topology, source, LinkCosts.latencyThenHops(latencies, linkWidths, width));
  }

  /**
   * Whether a search over links of these widths would find the same paths again, or others that are
   * wider, or as wide and faster, by no more than noise. One pass over the links for the widths,
   * and one for each width that was asked for; false where that does not suffice to tell.
   */
  boolean holds(double[] now, long[] latenciesNow) {
    return widthsHold(now)
        && treesByWidth.entrySet().stream()
            .allMatch(
                tree ->
                    tree.getValue()
                        .holds(LinkCosts.latencyThenHops(latenciesNow, linkWidths, tree.getKey())));
  }

  private boolean widthsHold(double[] now) {
    for (int link = 0; link < now.length; link++) {
      double before = linkWidths[link];
      // not by the difference, which two infinite widths do not have
      if (now[link] < (1 - NOISE) * before || now[link] > (1 + NOISE) * before) {
        boolean touched = now[link] < before ? isUsed(link) : couldBeUsed(link, now[link]);
        if (touched) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean isUsed(int link) {
    return lastLinks[topology.adjacency().target(link)] == link
        || treesByWidth.values().stream().anyMatch(tree -> tree.uses(link));
  }

  /** Whether a link that has become wider makes a path wider, or faster at its width. */
  private boolean couldBeUsed(int link, double width) {
    Adjacency graph = topology.adjacency();
    if (Math.min(widths[graph.source(link)], width) > widths[graph.target(link)]) {
      return true;
    }
    for (Map.Entry<Double, PathTree> tree : treesByWidth.entrySet()) {
      double least = tree.getKey();
      if (linkWidths[link] < least && width >= least && tree.getValue().wouldUse(link)) {
        return true;
      }
    }
    return false;
  }
}
