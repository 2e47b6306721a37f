package io.malob.endhost;

import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.NeighbourReplies;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;

/**
 * Answers ARP requests and neighbour solicitations of the inside: all addresses except the host's
 * own are at the gateway, which is the controller itself. Thread-safe.
 */
record NeighbourProxy(FlowSender sender) {

  /** Takes an ARP message of the inside. */
  void takeArp(Wiring wiring, Packet packet) {
    boolean isAsked =
        packet.arpOperation() == Packet.ARP_REQUEST
            && packet.dstAddress() != wiring.host().ipv4().getInt()
            && packet.dstAddress() != packet.srcAddress()
            && packet.srcAddress() != 0; // a host that only checks whether its address is free
    if (isAsked) {
      sender.tell(wiring, Replies.arpReply(packet, wiring.host().gatewayMac()));
    }
  }

  /** Takes a packet of the inside; false if it is neither a solicitation nor an advertisement. */
  boolean takeIpv6(Wiring wiring, Packet packet) {
    NeighbourMessage.of(packet)
        .filter(NeighbourMessage::isSolicitation)
        // without a sender it only checks whether an address is free
        .filter(asked -> !asked.sender().isUnspecified())
        .filter(asked -> !asked.target().isMulticast())
        .filter(asked -> !asked.target().equals(asked.sender()))
        .filter(asked -> wiring.host().ipv6().filter(asked.target()::equals).isEmpty())
        .ifPresent(
            asked ->
                sender.tell(
                    wiring, NeighbourReplies.advertisement(asked, wiring.host().gatewayMac())));
    return packet.isNeighbourMessage();
  }
}
