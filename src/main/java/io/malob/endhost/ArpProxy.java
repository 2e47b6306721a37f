package io.malob.endhost;

import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.openflow.uplink.InsideEnd;

/**
 * Answers ARP requests of the inside: all addresses except the host's own are at the gateway, which
 * is the controller itself. Thread-safe.
 */
final class ArpProxy {
  private final FlowSender sender;

  ArpProxy(FlowSender sender) {
    this.sender = sender;
  }

  void take(Wiring wiring, InsideEnd inside, Packet packet) {
    boolean isAsked =
        packet.kind() == Packet.Kind.ARP
            && packet.arpOperation() == Packet.ARP_REQUEST
            && packet.dstAddress() != inside.ipv4().getInt()
            && packet.dstAddress() != packet.srcAddress()
            && packet.srcAddress() != 0; // a host that only checks whether its address is free
    if (isAsked) {
      sender.tell(wiring, inside, Replies.arpReply(packet, inside.gatewayMac()));
    }
  }
}
