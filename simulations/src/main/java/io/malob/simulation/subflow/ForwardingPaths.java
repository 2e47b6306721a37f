package io.malob.simulation.subflow;

import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.PathTree;
import io.malob.algorithm.graph.Topology;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * The paths of the embedded controller's forwarding: the fewest links, of several such paths, the
 * path with the smallest sequence of switch ids, for all addresses.
 */
public record ForwardingPaths(Topology topology) implements SubflowPaths {
  @Override
  public Path of(IPv4Address source, DatapathId ingress, DatapathId egress) {
    return PathTree.fewestHops(topology, ingress)
        .pathTo(egress)
        .orElseThrow(
            () -> new IllegalArgumentException("no path leads from " + ingress + " to " + egress));
  }
}
