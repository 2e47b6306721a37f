package io.malob.algorithm.graph;

import java.util.Arrays;

/**
 * One search for the cheapest paths from one switch, by E. W. Dijkstra's algorithm (A note on two
 * problems in connexion with graphs, 1959) with pairs of costs. Of equally cheap paths, that with
 * the smaller sequence of switch ids is taken: equally cheap paths have equally many links, since
 * one of both costs counts them, so that their sequences can be compared switch by switch.
 */
final class CheapestPaths {
  static final int NO_LINK = -1;

  private final Adjacency graph;
  private final LinkCosts costs;
  private final long[] primary;
  private final long[] secondary;
  private final int[] lastLinks;
  private final SwitchHeap seen;

  private CheapestPaths(Adjacency graph, LinkCosts costs) {
    this.graph = graph;
    this.costs = costs;
    primary = new long[graph.switchCount()];
    secondary = new long[graph.switchCount()];
    lastLinks = new int[graph.switchCount()];
    Arrays.fill(primary, Long.MAX_VALUE);
    Arrays.fill(lastLinks, NO_LINK);
    seen = new SwitchHeap(graph.switchCount(), this::isCheaper);
  }

  /** By switch: the last link of its path. */
  static int[] search(Adjacency graph, int source, LinkCosts costs) {
    CheapestPaths search = new CheapestPaths(graph, costs);
    search.run(source);
    return search.lastLinks;
  }

  private boolean isCheaper(int a, int b) {
    return primary[a] != primary[b] ? primary[a] < primary[b] : secondary[a] < secondary[b];
  }

  private void run(int source) {
    primary[source] = 0;
    seen.raise(source);
    while (!seen.isEmpty()) {
      int at = seen.poll();
      for (int link = graph.firstLink(at); link < graph.firstLink(at + 1); link++) {
        relax(at, link);
      }
    }
  }

  private void relax(int at, int link) {
    int to = graph.target(link);
    long first = primary[at] + costs.primary(link);
    long second = secondary[at] + costs.secondary(link);
    if (first < primary[to] || (first == primary[to] && second < secondary[to])) {
      primary[to] = first;
      secondary[to] = second;
      lastLinks[to] = link;
      seen.raise(to);
    } else if (first == primary[to]
        && second == secondary[to]
        && comesFirst(at, graph.source(lastLinks[to]))) {
      lastLinks[to] = link;
    }
  }

  /** Whether the path to one switch has the smaller switch ids than an equally long one. */
  private boolean comesFirst(int a, int b) {
    boolean first = false;
    int left = a;
    int right = b;
    // the first place where the paths differ is the last that is met on the way back
    while (left != right) {
      first = left < right;
      left = graph.source(lastLinks[left]);
      right = graph.source(lastLinks[right]);
    }
    return first;
  }
}
