package io.malob.controller.network.topology;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.PathTree;
import io.malob.algorithm.graph.Topology;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * In each connected part of the network, a tree that reaches every switch: the fewest-hop paths
 * from the switch with the smallest id. Only links that work in both directions count, because a
 * broadcast must get along each link from either end.
 *
 * @param roots the smallest switch id of the part that each switch belongs to
 * @param ports the ports of each switch that are ends of links of the tree
 */
record BroadcastTree(
    ImmutableMap<DatapathId, DatapathId> roots, ImmutableSetMultimap<DatapathId, OFPort> ports) {

  static BroadcastTree of(Topology topology) {
    Topology bothWays = Topology.of(topology.switches(), bothWays(topology.links()));
    Map<DatapathId, DatapathId> roots = new HashMap<>();
    ImmutableSetMultimap.Builder<DatapathId, OFPort> ports = ImmutableSetMultimap.builder();
    for (DatapathId root : bothWays.switches()) {
      if (roots.putIfAbsent(root, root) == null) {
        for (DirectedLink link : PathTree.fewestHops(bothWays, root).links()) {
          roots.put(link.dst(), root);
          ports.put(link.src(), link.srcPort());
          ports.put(link.dst(), link.dstPort());
        }
      }
    }
    return new BroadcastTree(ImmutableMap.copyOf(roots), ports.build());
  }

  private static Set<DirectedLink> bothWays(Collection<DirectedLink> links) {
    Set<DirectedLink> all = Set.copyOf(links);
    Set<DirectedLink> result = new HashSet<>(all);
    result.removeIf(link -> !all.contains(reverse(link)));
    return result;
  }

  private static DirectedLink reverse(DirectedLink link) {
    return new DirectedLink(
        /* src= */ link.dst(),
        /* srcPort= */ link.dstPort(),
        /* dst= */ link.src(),
        /* dstPort= */ link.srcPort());
  }
}
