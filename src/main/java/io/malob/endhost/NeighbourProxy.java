package io.malob.endhost;

import io.malob.openflow.packet.Ipv6Packet;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.NeighbourReplies;
import io.malob.openflow.uplink.InsideEnd;

/**
 * Answers neighbour solicitations of the inside: all IPv6 addresses except the host's own are at
 * the gateway, like {@link ArpProxy} for IPv4. Thread-safe.
 */
final class NeighbourProxy {
  private final FlowSender sender;

  NeighbourProxy(FlowSender sender) {
    this.sender = sender;
  }

  /** Takes a packet of the inside; false if it is neither a solicitation nor an advertisement. */
  boolean take(Wiring wiring, InsideEnd inside, Ipv6Packet packet) {
    int type = packet.icmpType();
    NeighbourMessage.of(packet)
        .filter(NeighbourMessage::isSolicitation)
        // without a sender it only checks whether an address is free
        .filter(asked -> !asked.sender().isUnspecified())
        .filter(asked -> !asked.target().isMulticast())
        .filter(asked -> !asked.target().equals(asked.sender()))
        .filter(asked -> inside.ipv6().filter(asked.target()::equals).isEmpty())
        .ifPresent(
            asked ->
                sender.tell(
                    wiring, inside, NeighbourReplies.advertisement(asked, inside.gatewayMac())));
    return type == NeighbourMessage.SOLICITATION || type == NeighbourMessage.ADVERTISEMENT;
  }
}
