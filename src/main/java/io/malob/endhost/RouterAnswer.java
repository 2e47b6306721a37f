package io.malob.endhost;

import io.malob.openflow.packet.EchoFrames;
import io.malob.openflow.packet.Packet;

/**
 * Tells answers of an uplink's router to what is measured from all else that comes in. Immutable.
 *
 * @param identifier of the controller's echoes, 16 bits
 */
record RouterAnswer(Uplink uplink, int identifier) {

  /** Whether this is one, of either kind. */
  boolean isOne(Packet packet) {
    boolean isBetween =
        uplink.ipv4().filter(own -> own.getInt() == packet.dstAddress()).isPresent()
            && uplink.gatewayIpv4().filter(its -> its.getInt() == packet.srcAddress()).isPresent();
    return isBetween && (isArp(packet) || isEcho(packet));
  }

  /** Whether it tells the router's MAC. */
  static boolean isArp(Packet packet) {
    return packet.kind() == Packet.Kind.ARP && packet.arpOperation() == Packet.ARP_REPLY;
  }

  private boolean isEcho(Packet packet) {
    return packet.kind() == Packet.Kind.ICMP
        && packet.icmpType() == EchoFrames.ICMP_ECHO_REPLY
        && packet.icmpIdentifier() == identifier;
  }
}
