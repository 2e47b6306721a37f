package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * A topology by number: switches, directed links, and edges, which are links with both of their
 * directions. All in the order of the topology. A search that examines millions of routes works on
 * numbers. The arrays are never modified.
 */
final class Network {
  private final ImmutableList<DatapathId> switches;
  private final Map<DatapathId, Integer> switchNumbers = new HashMap<>();
  private final ImmutableList<DirectedLink> links;
  private final Map<DirectedLink, Integer> linkNumbers = new HashMap<>();
  private final ImmutableList<UndirectedLink> edges;
  private final Map<UndirectedLink, Integer> edgeNumbers = new HashMap<>();
  private final int[] sources;
  private final int[] targets;
  private final int[] edgeOf;
  private final int[] reverse;
  private final int[][] out;

  Network(Topology topology) {
    switches = topology.switches().asList();
    switches.forEach(each -> switchNumbers.put(each, switchNumbers.size()));
    links = topology.links();
    links.forEach(each -> linkNumbers.put(each, linkNumbers.size()));
    edges = ImmutableSortedSet.copyOf(links.stream().map(UndirectedLink::of).iterator()).asList();
    edges.forEach(each -> edgeNumbers.put(each, edgeNumbers.size()));
    sources = links.stream().mapToInt(link -> number(link.src())).toArray();
    targets = links.stream().mapToInt(link -> number(link.dst())).toArray();
    edgeOf =
        links.stream()
            .map(UndirectedLink::of)
            .mapToInt(edge -> edgeNumbers.getOrDefault(edge, -1))
            .toArray();
    reverse = links.stream().mapToInt(link -> number(link.reversed())).toArray();
    out =
        switches.stream()
            .map(
                each ->
                    topology.linksFrom(each).stream()
                        .mapToInt(link -> linkNumbers.getOrDefault(link, -1))
                        .toArray())
            .toArray(int[][]::new);
  }

  int switchCount() {
    return switches.size();
  }

  int edgeCount() {
    return edges.size();
  }

  /** The number of a switch, or -1 if it is not there. */
  int number(DatapathId id) {
    @Nullable Integer number = switchNumbers.get(id);
    return number == null ? -1 : number;
  }

  /** The number of a link, or -1 if it is not there. */
  int number(DirectedLink link) {
    @Nullable Integer number = linkNumbers.get(link);
    return number == null ? -1 : number;
  }

  /** The numbers of a path's links. */
  int[] numbers(Path path) {
    return path.links().stream().mapToInt(this::number).toArray();
  }

  /** The numbers of a route's links, branch by branch, each once; -1 for those not there. */
  int[] numbers(Route route) {
    return route.links().stream().mapToInt(this::number).toArray();
  }

  DatapathId switchOf(int number) {
    return switches.get(number);
  }

  DirectedLink link(int number) {
    return links.get(number);
  }

  /** All edges, by number. */
  ImmutableList<UndirectedLink> edges() {
    return edges;
  }

  int source(int link) {
    return sources[link];
  }

  int target(int link) {
    return targets[link];
  }

  /** The edge that a directed link belongs to. */
  int edge(int link) {
    return edgeOf[link];
  }

  /** The other direction of a link, or -1 if it has none. */
  int reverse(int link) {
    return reverse[link];
  }

  /** The number of an edge, or -1 if it is not there. */
  int number(UndirectedLink edge) {
    @Nullable Integer number = edgeNumbers.get(edge);
    return number == null ? -1 : number;
  }

  /** The directed links that leave a switch. */
  int[] out(int switchNumber) {
    return out[switchNumber];
  }

  /** A link from one switch straight to another, of parallel ones a random one; -1 if none. */
  int between(int source, int target, SplittableRandom random) {
    int found = -1;
    int count = 0;
    for (int link : out[source]) {
      if (targets[link] == target && (count++ == 0 || random.nextInt(count) == 0)) {
        found = link;
      }
    }
    return found;
  }

  /**
   * Which switches are reached from one without passing another.
   *
   * @param barred a switch that is not passed, or -1
   */
  boolean[] reached(int from, int barred) {
    boolean[] reached = new boolean[switches.size()];
    int[] queue = new int[switches.size()];
    int last = 0;
    queue[last++] = from;
    reached[from] = true;
    for (int next = 0; next < last; next++) {
      for (int link : out[queue[next]]) {
        int target = targets[link];
        if (target != barred && !reached[target]) {
          reached[target] = true;
          queue[last++] = target;
        }
      }
    }
    return reached;
  }
}
