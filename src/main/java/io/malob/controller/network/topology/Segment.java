package io.malob.controller.network.topology;

import com.google.common.collect.ImmutableSortedSet;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Switch ports that receive each other's packets: the two ends of a cable, or all ports that legacy
 * switches join. A packet from one of them may come in at all others. Immutable.
 *
 * @param ports the ports, at least two
 * @param isShared whether legacy switches join them: then hosts may be attached there, too
 */
public record Segment(ImmutableSortedSet<NodePortTuple> ports, boolean isShared) {

  /** The one port at which the hosts of a shared segment count as attached. */
  public NodePortTuple attachment() {
    return ports.first();
  }

  /** The smallest of the ports that belong to a switch; it must have one. */
  NodePortTuple portOf(DatapathId switchId) {
    return ports.stream()
        .filter(port -> port.getNodeId().equals(switchId))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(switchId + " is not at " + this));
  }
}
