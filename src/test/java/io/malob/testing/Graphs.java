package io.malob.testing;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkValue;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.projectfloodlight.openflow.types.DatapathId;

/** All small graphs, all paths through them, and random values of links: for brute force. */
public final class Graphs {
  private static final double MBPS = 1e6;
  private static final long MS = 1_000_000;

  private Graphs() {}

  /** All graphs of switches 1 to n, each link in both directions, in which all are connected. */
  public static Stream<Topology> connected(int switches) {
    List<int[]> pairs = new ArrayList<>();
    for (int a = 1; a <= switches; a++) {
      for (int b = a + 1; b <= switches; b++) {
        pairs.add(new int[] {a, b});
      }
    }
    return IntStream.range(0, 1 << pairs.size())
        .mapToObj(
            chosen ->
                IntStream.range(0, pairs.size())
                    .filter(i -> (chosen >>> i & 1) != 0)
                    .mapToObj(pairs::get)
                    .toArray(int[][]::new))
        .filter(links -> isConnected(switches, links))
        .map(links -> Topologies.of(switches, links));
  }

  private static boolean isConnected(int switches, int[][] links) {
    int reached = 1 << 1;
    for (int round = 1; round < switches; round++) {
      for (int[] link : links) {
        if ((reached >>> link[0] & 1) != 0 || (reached >>> link[1] & 1) != 0) {
          reached |= 1 << link[0] | 1 << link[1];
        }
      }
    }
    return Integer.bitCount(reached) == switches;
  }

  /** A connected graph of switches 1 to n: a random tree and some more links. */
  public static Topology random(int switches, int more, Random random) {
    boolean[][] joined = new boolean[switches + 1][switches + 1];
    List<int[]> links = new ArrayList<>();
    for (int i = 2; i < 2 + switches - 1 + more; i++) {
      int a = i <= switches ? i : 1 + random.nextInt(switches);
      int b = 1 + random.nextInt(i <= switches ? i - 1 : switches);
      if (a != b && !joined[a][b]) {
        joined[a][b] = true;
        joined[b][a] = true;
        links.add(new int[] {a, b});
      }
    }
    return Topologies.of(switches, links.toArray(new int[0][]));
  }

  /** All ways without loops. */
  public static List<Path> allPaths(Topology topology, DatapathId src, DatapathId dst) {
    List<Path> found = new ArrayList<>();
    Set<DatapathId> passed = new HashSet<>();
    passed.add(src);
    extend(topology, src, dst, passed, new ArrayDeque<>(), src, found);
    return found;
  }

  private static void extend(
      Topology topology,
      DatapathId src,
      DatapathId dst,
      Set<DatapathId> passed,
      Deque<DirectedLink> way,
      DatapathId at,
      List<Path> found) {
    if (at.equals(dst)) {
      found.add(new Path(src, ImmutableList.copyOf(way)));
      return;
    }
    for (DirectedLink link : topology.linksFrom(at)) {
      if (passed.add(link.dst())) {
        way.addLast(link);
        extend(topology, src, dst, passed, way, link.dst(), found);
        way.removeLast();
        passed.remove(link.dst());
      }
    }
  }

  /**
   * Values of all links, each direction for itself: 0 to 4 ms, 0 to 3 Mbit/s left of 4. So few that
   * there are ties.
   *
   * @param oneUnknownIn one in so many is unknown; 1 if all are
   */
  public static Map<DirectedLink, LinkValue> values(
      Topology topology, int oneUnknownIn, Random random) {
    Map<DirectedLink, LinkValue> known = new HashMap<>();
    for (DirectedLink link : topology.links()) {
      if (random.nextInt(oneUnknownIn) != 0) {
        known.put(link, value(random.nextInt(5) * MS, random.nextInt(4) * MBPS, 4 * MBPS));
      }
    }
    return known;
  }

  /** A link of which all is known. */
  public static LinkValue value(long latencyNanos, double throughputBps, double capacityBps) {
    return new LinkValue(
        OptionalLong.of(latencyNanos),
        OptionalDouble.of(throughputBps),
        OptionalDouble.of(capacityBps));
  }
}
