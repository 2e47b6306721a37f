package io.malob.balancer.admission;

import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.EchoFrames;
import io.malob.openflow.packet.Packet;
import io.malob.state.network.SelfAddresses;
import java.util.List;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Takes the packets for the balancer's own addresses that are of no VIP: pings are answered, as
 * routers watch their next hops by them; all others are dropped. Thread-safe.
 */
public record SelfTraffic(SelfAddresses selfAddresses, RuleSender ruleSender) {
  /** Handles a packet to an address that no VIP has; false if the address is not the balancer's. */
  public boolean handle(DatapathId switchId, OFPort inPort, Packet packet) {
    if (!packet.isIp() || !selfAddresses.contains(packet.destination())) {
      return false;
    }
    if (packet.isEchoRequest()
        && !packet.isFragment()
        && !packet.isMulticast()
        && selfAddresses.contains(packet.destination(), packet.vlan())) {
      ruleSender.sendFrame(switchId, List.of(inPort), EchoFrames.answer(packet));
    }
    return true;
  }
}
