package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * A topology by number: switches, directed links, and edges, which are links with both of their
 * directions. All in the order of the topology. A search that examines millions of routes works on
 * numbers. The arrays are never modified.
 */
public final class Network {
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

  public Network(Topology topology) {
    switches = topology.switches().asList();
    switches.forEach(each -> switchNumbers.put(each, switchNumbers.size()));
    links = topology.links();
    links.forEach(each -> linkNumbers.put(each, linkNumbers.size()));
    edges = ImmutableSortedSet.copyOf(links.stream().map(UndirectedLink::of).iterator()).asList();
    edges.forEach(each -> edgeNumbers.put(each, edgeNumbers.size()));
    sources = links.stream().mapToInt(link -> number(link.src())).toArray();
    targets = links.stream().mapToInt(link -> number(link.dst())).toArray();
    edgeOf = links.stream().map(UndirectedLink::of).mapToInt(this::number).toArray();
    reverse = links.stream().mapToInt(link -> number(link.reversed())).toArray();
    out =
        switches.stream()
            .map(each -> topology.linksFrom(each).stream().mapToInt(this::number).toArray())
            .toArray(int[][]::new);
  }

  /**
   * The network of a request.
   *
   * @throws UnplannableException if it is partitioned, or lacks a switch or link of the request
   */
  public static Network of(PlanRequest request) throws UnplannableException {
    Network network = new Network(request.topology());
    for (Demand demand : request.demands()) {
      if (network.number(demand.identity().first()) < 0) {
        throw new UnplannableException("There is no link " + demand.identity().first() + ".");
      }
    }
    for (DatapathId id : request.egresses()) {
      if (network.number(id) < 0) {
        throw new UnplannableException("There is no switch " + id + ".");
      }
    }
    boolean[] reached = network.switchCount() == 0 ? new boolean[0] : network.reached(0, -1);
    String apart =
        IntStream.range(0, reached.length)
            .filter(number -> !reached[number])
            .mapToObj(number -> network.switchOf(number).toString())
            .collect(Collectors.joining(", "));
    if (!apart.isEmpty()) {
      throw new UnplannableException(
          String.format(
              "The network is partitioned: no path leads from %s to %s.",
              network.switchOf(0), apart));
    }
    return network;
  }

  /** By number, whether each switch is one of these. */
  public boolean[] among(Set<DatapathId> ids) {
    boolean[] among = new boolean[switchCount()];
    ids.forEach(id -> among[number(id)] = true);
    return among;
  }

  public int switchCount() {
    return switches.size();
  }

  public int edgeCount() {
    return edges.size();
  }

  /** The number of a switch, or -1 if it is not there. */
  public int number(DatapathId id) {
    return switchNumbers.getOrDefault(id, -1);
  }

  /** The number of a link, or -1 if it is not there. */
  public int number(DirectedLink link) {
    return linkNumbers.getOrDefault(link, -1);
  }

  /** The numbers of a path's links. */
  public int[] numbers(Path path) {
    return path.links().stream().mapToInt(this::number).toArray();
  }

  /** The numbers of a route's links, branch by branch, each once; -1 for those not there. */
  public int[] numbers(Route route) {
    return route.links().stream().mapToInt(this::number).toArray();
  }

  public DatapathId switchOf(int number) {
    return switches.get(number);
  }

  public DirectedLink link(int number) {
    return links.get(number);
  }

  /** All edges, by number. */
  public ImmutableList<UndirectedLink> edges() {
    return edges;
  }

  public int source(int link) {
    return sources[link];
  }

  public int target(int link) {
    return targets[link];
  }

  /** The edge that a directed link belongs to. */
  public int edge(int link) {
    return edgeOf[link];
  }

  /** The other direction of a link, or -1 if it has none. */
  public int reverse(int link) {
    return reverse[link];
  }

  /** The number of an edge, or -1 if it is not there. */
  public int number(UndirectedLink edge) {
    return edgeNumbers.getOrDefault(edge, -1);
  }

  /** The directed links that leave a switch. */
  public int[] out(int switchNumber) {
    return out[switchNumber];
  }

  /** A link from one switch straight to another, of parallel ones a random one; -1 if none. */
  public int between(int source, int target, SplittableRandom random) {
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
  public boolean[] reached(int from, int barred) {
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
