package io.malob.algorithm.subflow.paper;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.PathTree;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.subflow.BranchOrder;
import io.malob.algorithm.subflow.Route;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Cuts Hamiltonian paths where they become detours: at the first switch that a path reaches with
 * more links than allowed beyond the fewest possible. On a path, this difference never decreases,
 * because the distances of neighbours differ by one at most. So all switches before the cut are
 * reached as planned; a complete route reaches the others over shortest paths, another one not at
 * all. A sub-flow on a long detour takes a share of each link, and with many of these on a slow
 * link, windows become too small for fast retransmission. Pure; one thread only.
 */
final class DetourLimit {
  private final Topology topology;
  private final ImmutableSortedSet<DatapathId> egresses;
  private final int max;

  /** By ingress switch. */
  private final Map<DatapathId, PathTree> shortest = new HashMap<>();

  /**
   * A limit.
   *
   * @param egresses the switches that complete routes have to reach
   * @param max the max number of links beyond the fewest possible
   */
  DetourLimit(Topology topology, ImmutableSortedSet<DatapathId> egresses, int max) {
    this.topology = topology;
    this.egresses = egresses;
    this.max = max;
  }

  /** The route within the limit; the same if it is no Hamiltonian path, or has no long detour. */
  Route cut(Route route, boolean isComplete) {
    Path whole = route.branches().get(0);
    PathTree near =
        shortest.computeIfAbsent(whole.src(), ingress -> PathTree.fewestHops(topology, ingress));
    int kept = kept(whole, near);
    if (route.kind() != Route.Kind.HAMILTONIAN || kept == whole.hops()) {
      return route;
    }
    ImmutableList<Path> branches =
        isComplete ? branches(whole, kept, near) : ImmutableList.of(whole.beginning(kept));
    String reason =
        String.format(
            "A path that visits each switch once, as far as that takes at most %d more links than"
                + " the shortest path; %s.",
            max,
            isComplete
                ? "shortest paths to the other switches"
                : "no sub-flows to the other switches");
    return new Route(route.identity(), route.kind(), branches, reason, Optional.of(whole));
  }

  /** The number of links before the cut; at least one. */
  private int kept(Path whole, PathTree near) {
    int kept = 1;
    while (kept < whole.hops()
        && kept + 1 - path(near, whole.switches().get(kept + 1)).hops() <= max) {
      kept++;
    }
    return kept;
  }

  private static Path path(PathTree near, DatapathId to) {
    return near.pathTo(to)
        .orElseThrow(() -> new IllegalArgumentException("no path leads to " + to));
  }

  private ImmutableList<Path> branches(Path whole, int kept, PathTree near) {
    Map<DatapathId, Path> wanted = new TreeMap<>();
    for (DatapathId egress : egresses) {
      int place = whole.switches().indexOf(egress);
      if (place > 0) {
        wanted.put(egress, place <= kept ? whole.beginning(place) : path(near, egress));
      }
    }
    return BranchOrder.of(wanted);
  }
}
