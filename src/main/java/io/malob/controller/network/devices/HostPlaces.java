package io.malob.controller.network.devices;

import io.malob.controller.network.topology.Segment;
import io.malob.controller.network.topology.TopologySnapshot;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.Packet;
import java.util.Optional;
import java.util.function.Predicate;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * What the port where a packet came in says of its sender. Where legacy switches join several
 * ports, one packet may come in at all of them, and those of other hosts pass through. Pure.
 */
final class HostPlaces {
  private HostPlaces() {}

  /**
   * Where a sender is attached.
   *
   * @param at the port
   * @param isCertain whether it is the sender's own packet beyond doubt, and not one on its way
   *     from elsewhere: then a host that is known elsewhere has moved
   */
  record Place(NodePortTuple at, boolean isCertain) {}

  /** Where the sender of a packet is; empty if its port does not say. */
  static Optional<Place> of(TopologySnapshot network, NodePortTuple port, Packet packet) {
    Optional<Segment> shared = network.sharedSegment(port);
    NodePortTuple at = shared.map(Segment::attachment).orElse(port);
    if (!network.isAttachmentPoint(at.getNodeId(), at.getPortId())) {
      return Optional.empty();
    }
    if (shared.isEmpty()) {
      return Optional.of(new Place(at, true));
    }
    // what is sent to all goes into a segment at its attachment only, and never comes in there
    if (packet.isMulticast()) {
      return port.equals(at) ? Optional.of(new Place(at, true)) : Optional.empty();
    }
    return Optional.of(new Place(at, false));
  }

  /**
   * Whether a packet is only a copy of what comes in at another port of the same segment. Plain
   * switches know nothing of labels and send a labelled packet to all ports of theirs.
   */
  static boolean isCopy(
      TopologySnapshot network,
      NodePortTuple port,
      Packet packet,
      Predicate<MacAddress> isKnownHost) {
    Optional<Segment> shared = network.sharedSegment(port);
    if (shared.isEmpty()) {
      return false;
    }
    if (Label.isLabel(packet.dstMac())) {
      return shared.get().ports().size() > 2;
    }
    return !shared.get().attachment().equals(port)
        && (packet.isMulticast() || !isKnownHost.test(packet.dstMac()));
  }
}
