package io.malob.endhost;

import io.malob.openflow.packet.Ipv6Packet;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.InsideEnd;
import io.malob.openflow.uplink.UplinkEnd;

/**
 * Leads IPv6 packets to whom they concern. Fragments are not carried: switches cannot tell which
 * flow they are of, and hosts have been told the path's MTU before they make any. Thread-safe.
 */
final class Ipv6PacketIns {
  private final Uplinks uplinks;
  private final FlowPlacer placer;
  private final NeighbourProxy neighbours;
  private final IcmpErrors icmpErrors;
  private final Refusals refusals;

  Ipv6PacketIns(
      Uplinks uplinks,
      FlowPlacer placer,
      NeighbourProxy neighbours,
      IcmpErrors icmpErrors,
      Refusals refusals) {
    this.uplinks = uplinks;
    this.placer = placer;
    this.neighbours = neighbours;
    this.icmpErrors = icmpErrors;
    this.refusals = refusals;
  }

  /**
   * Takes a packet that the host sends.
   *
   * @return whether it was the first of a flow
   */
  boolean ofHost(Wiring wiring, InsideEnd inside, Ipv6Packet packet, long nowNanos) {
    if (neighbours.take(wiring, inside, packet)
        || packet.isMulticast()
        || inside.ipv6().isEmpty()) {
      return false;
    }
    if (!packet.srcAddress().equals(inside.ipv6().get())) {
      refusals.count(Refusal.WRONG_SOURCE);
      return false;
    }
    if (packet.isFragment()) {
      refusals.count(Refusal.FRAGMENT_IPV6);
      return false;
    }
    FlowKey key = FlowKey.sent(packet);
    return !key.isIpv4() && placer.place(wiring, inside, key, packet, nowNanos);
  }

  /** Takes a packet that came in at an uplink. */
  void ofUplink(
      Wiring wiring, InsideEnd inside, UplinkEnd uplink, Ipv6Packet packet, long nowNanos) {
    if (uplinks.take(uplink.port(), packet)) {
      return;
    }
    boolean isForHost =
        inside.ipv6().isPresent() && uplink.ipv6().filter(packet.dstAddress()::equals).isPresent();
    if (!isForHost || icmpErrors.take(wiring, inside, uplink, packet, nowNanos)) {
      return;
    }
    if (packet.isFragment()) {
      refusals.count(Refusal.FRAGMENT_IPV6);
      return;
    }
    FlowKey key = FlowKey.received(packet);
    if (!key.isIpv4()) { // addresses that stand for those of IPv4 are none of a network
      placer.answered(wiring, inside, uplink, key, packet, nowNanos);
    }
  }
}
