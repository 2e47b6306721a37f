package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The rest of a network behind the first link of a path: all switches but the one where the path
 * begins, by number, and which of them are neighbours. Links that are parallel make two switches
 * neighbours once. A path over all switches of the network is that link and a path over all
 * switches of this graph, from the one where the link ends. Immutable.
 *
 * @param neighbors by switch: its neighbours by number, ascending
 * @param links by switch and place of the neighbour: the links to it
 * @param start the switch where the first link ends
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and not changed
record SwitchGraph(
    DirectedLink first,
    List<DatapathId> switches,
    int[][] neighbors,
    List<List<ImmutableList<DirectedLink>>> links,
    int start) {

  /** The rest of a topology behind a link, without forbidden links. */
  static SwitchGraph behind(Topology topology, DirectedLink first, Set<UndirectedLink> forbidden) {
    if (!topology.contains(first) || first.src().equals(first.dst())) {
      throw new IllegalArgumentException("first: " + first + " is no link of the topology");
    }
    List<DatapathId> switches = new ArrayList<>(topology.switches());
    switches.remove(first.src());
    Map<DatapathId, Integer> numbers = new HashMap<>();
    switches.forEach(switchId -> numbers.put(switchId, numbers.size()));
    int[][] neighbors = new int[switches.size()][];
    List<List<ImmutableList<DirectedLink>>> links = new ArrayList<>();
    for (DatapathId from : switches) {
      Map<Integer, ImmutableList.Builder<DirectedLink>> byNeighbor = new TreeMap<>();
      for (DirectedLink link : topology.linksFrom(from)) {
        Integer to = numbers.get(link.dst());
        if (to != null
            && !link.dst().equals(from)
            && topology.contains(link.reversed())
            && !forbidden.contains(UndirectedLink.of(link))) {
          byNeighbor.computeIfAbsent(to, neighbor -> ImmutableList.builder()).add(link);
        }
      }
      neighbors[links.size()] = byNeighbor.keySet().stream().mapToInt(Integer::intValue).toArray();
      links.add(byNeighbor.values().stream().map(ImmutableList.Builder::build).toList());
    }
    return new SwitchGraph(first, switches, neighbors, links, switches.indexOf(first.dst()));
  }

  /** How many switches there are; they have the numbers below that. */
  int size() {
    return neighbors.length;
  }

  /** The neighbours of a switch, ascending. Never modified. */
  int[] neighbors(int switchNumber) {
    return neighbors[switchNumber];
  }

  boolean joins(int from, int to) {
    return Arrays.binarySearch(neighbors[from], to) >= 0;
  }

  /** The id of a switch. */
  DatapathId switchId(int switchNumber) {
    return switches.get(switchNumber);
  }

  /** The switch where the first link begins, which is not in the graph. */
  DatapathId ingress() {
    return first.src();
  }

  /** The first link and a path over switches; of parallel links one at random. */
  Path path(int[] order, SplittableRandom random) {
    ImmutableList.Builder<DirectedLink> taken = ImmutableList.builder();
    taken.add(first);
    for (int i = 1; i < order.length; i++) {
      ImmutableList<DirectedLink> parallel = links(order[i - 1], order[i]);
      taken.add(parallel.get(parallel.size() == 1 ? 0 : random.nextInt(parallel.size())));
    }
    return new Path(first.src(), taken.build());
  }

  /** The first link and a path over switches, by each choice of parallel links, up to a limit. */
  ImmutableList<Path> paths(int[] order, int limit) {
    List<ImmutableList<DirectedLink>> begun = List.of(ImmutableList.of(first));
    for (int i = 1; i < order.length; i++) {
      ImmutableList<DirectedLink> parallel = links(order[i - 1], order[i]);
      begun =
          begun.stream()
              .flatMap(
                  way ->
                      parallel.stream()
                          .map(
                              link ->
                                  ImmutableList.<DirectedLink>builderWithExpectedSize(
                                          way.size() + 1)
                                      .addAll(way)
                                      .add(link)
                                      .build()))
              .limit(limit)
              .toList();
    }
    return begun.stream()
        .map(way -> new Path(first.src(), way))
        .collect(ImmutableList.toImmutableList());
  }

  private ImmutableList<DirectedLink> links(int from, int to) {
    return links.get(from).get(Arrays.binarySearch(neighbors[from], to));
  }
}
