package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.BestPaths.Direction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The k paths without loops that have the lowest latency, then the fewest links, from one switch to
 * another (J. Y. Yen, Finding the k shortest loopless paths in a network, 1971). Each deviation
 * from a known path is searched with the distances to the destination in the whole network as a
 * lower bound (A*), so that a search examines little more than the path itself. The order of
 * equally good paths is deterministic.
 */
final class KShortestPaths {
  private static final int NONE = -1;
  private static final Comparator<Found> ORDER =
      Comparator.comparingLong(Found::latency)
          .thenComparingInt(found -> found.links.length)
          .thenComparing(Found::links, Arrays::compare);

  private final Adjacency graph;
  private final long[] latencies;
  private final DatapathId destination;
  private final int dst;

  /**
   * By switch: how far the destination is, in latency and in links; the greatest if it is not
   * reached.
   */
  private final long[] latencyToDst;

  private final long[] hopsToDst;

  /** One path, by the numbers of its links. */
  @SuppressWarnings("ArrayRecordComponent") // compared only by ORDER
  private record Found(int[] links, long latency) {}

  /**
   * Searches for paths to one switch.
   *
   * @param latencies by the links' place in the topology
   */
  KShortestPaths(Topology topology, long[] latencies, DatapathId dst) {
    this.graph = topology.adjacency();
    this.latencies = latencies;
    this.destination = dst;
    this.dst = graph.number(dst);
    BestPathSearch toDst =
        BestPathSearch.cheapest(
            graph, this.dst, Direction.TO_ROOT, LinkCosts.latencyThenHops(latencies));
    this.latencyToDst = toDst.primary();
    this.hopsToDst = toDst.secondary();
  }

  DatapathId destination() {
    return destination;
  }

  /** Up to k paths from a switch, the best first; none if there is no path. */
  ImmutableList<Path> from(DatapathId src, int k) {
    if (src.equals(destination)) {
      return ImmutableList.of(Path.within(src));
    }
    int from = graph.number(src);
    if (from < 0 || dst < 0) {
      return ImmutableList.of();
    }
    return find(from, k).stream()
        .map(
            found ->
                new Path(
                    src,
                    Arrays.stream(found.links)
                        .mapToObj(graph::link)
                        .collect(ImmutableList.toImmutableList())))
        .collect(ImmutableList.toImmutableList());
  }

  private List<Found> find(int src, int k) {
    List<Found> best = new ArrayList<>();
    NavigableSet<Found> candidates = new TreeSet<>(ORDER);
    addDetour(new int[0], src, best, candidates);
    while (best.size() < k && !candidates.isEmpty()) {
      Found next = candidates.pollFirst();
      best.add(next);
      int at = src;
      for (int i = 0; i < next.links.length; i++) {
        addDetour(Arrays.copyOf(next.links, i), at, best, candidates);
        at = graph.target(next.links[i]);
      }
    }
    return best;
  }

  /** The best path with this beginning that continues differently from all known ones. */
  private void addDetour(int[] root, int spur, List<Found> known, NavigableSet<Found> candidates) {
    boolean[] passed = new boolean[graph.switchCount()];
    long latency = 0;
    for (int link : root) {
      passed[graph.source(link)] = true;
      latency += latencies[link];
    }
    List<Integer> taken = new ArrayList<>();
    for (Found path : known) {
      if (path.links.length > root.length
          && Arrays.equals(path.links, 0, root.length, root, 0, root.length)) {
        taken.add(path.links[root.length]);
      }
    }
    int last = root.length == 0 ? NONE : root[root.length - 1];
    int[] rest = new Detour(spur, last, passed, taken).search();
    if (rest.length > 0) {
      int[] links = Arrays.copyOf(root, root.length + rest.length);
      System.arraycopy(rest, 0, links, root.length, rest.length);
      for (int link : rest) {
        latency += latencies[link];
      }
      candidates.add(new Found(links, latency));
    }
  }

  /** One search for the best path from a switch that avoids some switches and some first links. */
  private final class Detour {
    private final int start;

    /** The link by which the path reaches the start. */
    private final int linkToStart;

    private final boolean[] avoided;
    private final List<Integer> avoidedFirst;
    private final long[] latency = new long[graph.switchCount()];
    private final int[] hops = new int[graph.switchCount()];
    private final int[] lastLinks = new int[graph.switchCount()];
    private final SwitchHeap seen = new SwitchHeap(graph.switchCount(), this::isBetter);

    Detour(int start, int linkToStart, boolean[] avoided, List<Integer> avoidedFirst) {
      this.start = start;
      this.linkToStart = linkToStart;
      this.avoided = avoided;
      this.avoidedFirst = avoidedFirst;
      Arrays.fill(latency, Long.MAX_VALUE);
      Arrays.fill(lastLinks, NONE);
    }

    private boolean isBetter(int a, int b) {
      long byA = latency[a] + latencyToDst[a];
      long byB = latency[b] + latencyToDst[b];
      return byA != byB ? byA < byB : hops[a] + hopsToDst[a] < hops[b] + hopsToDst[b];
    }

    /** The links of the path; none if there is no path. */
    int[] search() {
      latency[start] = 0;
      seen.raise(start);
      while (!seen.isEmpty()) {
        int at = seen.poll();
        if (at == dst) {
          return way();
        }
        for (int link = graph.firstLink(at); link < graph.firstLink(at + 1); link++) {
          int to = graph.target(link);
          boolean open =
              !avoided[to]
                  && latencyToDst[to] != Long.MAX_VALUE
                  && !(at == start && avoidedFirst.contains(link));
          int before = at == start ? linkToStart : lastLinks[at];
          if (open && (before == NONE || !graph.isDetour(before, link))) {
            relax(at, link, to);
          }
        }
      }
      return new int[0];
    }

    private void relax(int at, int link, int to) {
      long byLink = latency[at] + latencies[link];
      if (byLink < latency[to] || (byLink == latency[to] && hops[at] + 1 < hops[to])) {
        latency[to] = byLink;
        hops[to] = hops[at] + 1;
        lastLinks[to] = link;
        seen.raise(to);
      }
    }

    private int[] way() {
      int[] links = new int[hops[dst]];
      int at = dst;
      for (int i = links.length - 1; i >= 0; i--) {
        links[i] = lastLinks[at];
        at = graph.source(links[i]);
      }
      return links;
    }
  }
}
