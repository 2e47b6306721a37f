package io.malob.controller.network.topology;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.ImmutableSortedSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * In each connected part of the network, a tree that reaches every switch: the fewest-hop paths
 * from the switch with the smallest id. A segment takes part as a whole: one port of it belongs to
 * the switch that reached it first, and one to each switch that is first reached over it. A copy
 * that comes in at any other port is not to be passed on.
 *
 * @param roots the smallest switch id of the part that each switch belongs to
 * @param ports the ports of each switch that are on the tree
 */
record BroadcastTree(
    ImmutableMap<DatapathId, DatapathId> roots, ImmutableSetMultimap<DatapathId, OFPort> ports) {

  static BroadcastTree of(ImmutableSortedSet<DatapathId> switches, Segments segments) {
    Map<DatapathId, DatapathId> roots = new HashMap<>();
    ImmutableSetMultimap.Builder<DatapathId, OFPort> ports = ImmutableSetMultimap.builder();
    for (DatapathId root : switches) {
      if (roots.putIfAbsent(root, root) == null) {
        ArrayDeque<DatapathId> queue = new ArrayDeque<>();
        for (DatapathId at = root; at != null; at = queue.poll()) {
          for (Segment segment : segments.bySwitch().get(at)) {
            List<NodePortTuple> reached = firstReached(segment, roots, root);
            reached.forEach(port -> queue.add(port.getNodeId()));
            if (!reached.isEmpty()) {
              reached.forEach(port -> ports.put(port.getNodeId(), port.getPortId()));
              ports.put(at, segment.portOf(at).getPortId());
            }
          }
        }
      }
    }
    return new BroadcastTree(ImmutableMap.copyOf(roots), ports.build());
  }

  /** One port of each switch that has not been reached before, which counts as reached then. */
  private static List<NodePortTuple> firstReached(
      Segment segment, Map<DatapathId, DatapathId> roots, DatapathId root) {
    List<NodePortTuple> reached = new ArrayList<>();
    for (NodePortTuple port : segment.ports()) {
      if (roots.putIfAbsent(port.getNodeId(), root) == null) {
        reached.add(port);
      }
    }
    return reached;
  }

  boolean has(NodePortTuple port) {
    return ports.containsEntry(port.getNodeId(), port.getPortId());
  }
}
