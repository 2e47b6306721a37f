package io.malob.endhost;

import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.QuotedPacket;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Delivers ICMP errors about packets of flows to the application, so that it learns of unreachable
 * destinations and of the path MTU, and traceroute shows routers. Thread-safe.
 */
final class IcmpErrors {
  private static final int PER_SECOND = 200;

  private final OpenFlows flows;
  private final Races races;
  private final FlowSender sender;
  private final Refusals refusals;
  private final Allowance allowance = new Allowance(PER_SECOND);

  IcmpErrors(OpenFlows flows, Races races, FlowSender sender, Refusals refusals) {
    this.flows = flows;
    this.races = races;
    this.sender = sender;
    this.refusals = refusals;
  }

  /** Takes a packet that came in at an uplink; false if it is not an error. */
  boolean take(Wiring wiring, UplinkEnd uplink, Packet packet, long nowNanos) {
    Optional<QuotedPacket> quoted = QuotedPacket.of(packet);
    Optional<? extends IPAddress<?>> host = wiring.host().address(packet.version());
    if (quoted.isPresent()
        && host.isPresent()
        && concernsFlow(keyOf(quoted.get()), uplink, nowNanos)) {
      sender.tell(
          wiring,
          quoted.get().readdressed(wiring.host().gatewayMac(), wiring.host().mac(), host.get()));
    }
    return quoted.isPresent();
  }

  /**
   * Whether it is about a flow on this uplink, not about the host's own traffic, and within the
   * limit.
   */
  private boolean concernsFlow(FlowKey key, UplinkEnd uplink, long nowNanos) {
    @Nullable Flow flow = flows.find(key);
    boolean isConcerned =
        flow == null ? races.rejected(key, uplink.number()) : flow.uplink() == uplink.number();
    if (!isConcerned) {
      return false;
    }
    boolean isAllowed = allowance.take(nowNanos);
    if (!isAllowed) {
      refusals.count(Refusal.ICMP_RATE);
    }
    return isAllowed;
  }

  private static FlowKey keyOf(QuotedPacket quoted) {
    return FlowKey.of(
        quoted.destination(),
        quoted.protocol(),
        quoted.hasPorts() ? quoted.srcPort() : 0,
        quoted.hasPorts() ? quoted.dstPort() : 0);
  }
}
