package io.malob.controller.network.topology;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.MultimapBuilder;
import com.google.common.collect.SetMultimap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Reached;
import java.util.HashSet;
import java.util.Set;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * All segments of a network. Only links that work in both directions join ports, because a
 * broadcast must pass in both directions. Immutable.
 *
 * @param byPort the segment of each port that is on one
 * @param bySwitch the segments that each switch has a port on, each once, smallest port first
 */
record Segments(
    ImmutableMap<NodePortTuple, Segment> byPort,
    ImmutableListMultimap<DatapathId, Segment> bySwitch) {

  /** The segments that these links make, some of which go through legacy switches. */
  static Segments of(Set<DirectedLink> links, Set<DirectedLink> throughLegacySwitches) {
    SetMultimap<NodePortTuple, NodePortTuple> peers =
        MultimapBuilder.treeKeys().linkedHashSetValues().build();
    Set<NodePortTuple> shared = new HashSet<>();
    for (DirectedLink link : links) {
      if (links.contains(link.reversed())) {
        peers.put(source(link), target(link));
        if (throughLegacySwitches.contains(link)) {
          shared.add(source(link));
        }
      }
    }
    ImmutableMap.Builder<NodePortTuple, Segment> byPort = ImmutableMap.builder();
    ImmutableListMultimap.Builder<DatapathId, Segment> bySwitch = ImmutableListMultimap.builder();
    Set<NodePortTuple> done = new HashSet<>();
    for (NodePortTuple port : peers.keySet()) {
      if (!done.contains(port)) {
        Set<NodePortTuple> joined = Reached.from(port, peers::get);
        done.addAll(joined);
        Segment segment =
            new Segment(
                ImmutableSortedSet.copyOf(joined), joined.stream().anyMatch(shared::contains));
        joined.forEach(each -> byPort.put(each, segment));
        joined.stream()
            .map(NodePortTuple::getNodeId)
            .distinct()
            .forEach(switchId -> bySwitch.put(switchId, segment));
      }
    }
    return new Segments(byPort.build(), bySwitch.build());
  }

  private static NodePortTuple source(DirectedLink link) {
    return new NodePortTuple(link.src(), link.srcPort());
  }

  private static NodePortTuple target(DirectedLink link) {
    return new NodePortTuple(link.dst(), link.dstPort());
  }
}
