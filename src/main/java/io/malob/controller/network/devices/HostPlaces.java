package io.malob.controller.network.devices;

import io.malob.controller.network.topology.Segment;
import io.malob.controller.network.topology.TopologySnapshot;
import io.malob.openflow.packet.Packet;
import java.util.Optional;
import java.util.function.Predicate;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The location of a sender, from the ingress port of its packet. If legacy switches join several
 * ports, a packet may come in at all of them, and packets of other hosts pass through. Pure.
 */
final class HostPlaces {
  private HostPlaces() {}

  /**
   * Where a sender is attached.
   *
   * @param at the port
   * @param isCertain whether the packet certainly comes from the sender at this port, not in
   *     transit from elsewhere: then a host that is known elsewhere has moved
   */
  record Place(NodePortTuple at, boolean isCertain) {}

  /**
   * The location of the sender of a packet; empty if the port does not determine it. At a port that
   * may still turn out to lead to a switch, it is not certain.
   */
  static Optional<Place> of(TopologySnapshot network, NodePortTuple port, Packet packet) {
    Optional<Segment> shared = network.sharedSegment(port);
    NodePortTuple at = shared.map(Segment::attachment).orElse(port);
    if (!network.isAttachmentPoint(at.getNodeId(), at.getPortId())) {
      return network.isUndecided(port) ? Optional.of(new Place(port, false)) : Optional.empty();
    }
    if (shared.isEmpty()) {
      return Optional.of(new Place(at, true));
    }
    // broadcasts enter a segment only at its attachment, and never come in there
    if (packet.isMulticast()) {
      return port.equals(at) ? Optional.of(new Place(at, true)) : Optional.empty();
    }
    return Optional.of(new Place(at, false));
  }

  /**
   * Whether a labelled packet without a rule for its label is only a copy that legacy switches have
   * flooded.
   */
  static boolean isCopyIfLabelled(TopologySnapshot network, NodePortTuple port) {
    return network.sharedSegment(port).filter(shared -> shared.ports().size() > 2).isPresent();
  }

  /**
   * Whether a packet is only a copy of a packet that comes in at another port of the same segment.
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
    return !shared.get().attachment().equals(port)
        && (packet.isMulticast() || !isKnownHost.test(packet.dstMac()));
  }
}
