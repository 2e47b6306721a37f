package io.malob.endhost;

import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.QuotedPacket;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.InsideEnd;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * Hands ICMP errors about packets of flows to the application, so that it hears of routers that
 * have no way, or none for packets so long, and traceroute shows routers. Thread-safe.
 */
final class IcmpErrors {
  private static final int PER_SECOND = 200;

  private final OpenFlows flows;
  private final FlowSender sender;
  private final Refusals refusals;
  private final Allowance allowance = new Allowance(PER_SECOND);

  IcmpErrors(OpenFlows flows, FlowSender sender, Refusals refusals) {
    this.flows = flows;
    this.sender = sender;
    this.refusals = refusals;
  }

  /** Takes a packet that came in at an uplink; false if it is no error. */
  boolean take(Wiring wiring, InsideEnd inside, UplinkEnd uplink, Packet packet, long nowNanos) {
    Optional<QuotedPacket> quoted = QuotedPacket.of(packet);
    if (quoted.isEmpty()) {
      return false;
    }
    @Nullable Flow flow = flows.find(keyOf(quoted.get()));
    if (flow != null && flow.uplink() == uplink.number()) { // else it is about the host's own
      if (allowance.take(nowNanos)) {
        sender.tell(
            wiring,
            inside,
            quoted.get().readdressed(inside.gatewayMac(), inside.mac(), inside.ipv4()));
      } else {
        refusals.count(Refusal.ICMP_RATE);
      }
    }
    return true;
  }

  private static FlowKey keyOf(QuotedPacket quoted) {
    return FlowKey.of(
        IPv4Address.of(quoted.dstAddress()),
        quoted.protocol(),
        quoted.hasPorts() ? quoted.srcPort() : 0,
        quoted.hasPorts() ? quoted.dstPort() : 0);
  }
}
