package io.malob.mptcp;

import com.google.common.collect.ImmutableMap;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.openflow.subflow.Fan;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Answers ARP for the addresses of a plan's hosts, at the ingress port. Hosts of another VLAN get
 * no answer. Thread-safe.
 */
final class AliasArp {
  private final Supplier<ImmutableMap<Integer, Fan.Address>> addresses;
  private final FlowProgrammer programmer;

  /**
   * Answers for these addresses.
   *
   * @param addresses the current ones, by their bits
   */
  AliasArp(Supplier<ImmutableMap<Integer, Fan.Address>> addresses, FlowProgrammer programmer) {
    this.addresses = addresses;
    this.programmer = programmer;
  }

  /** Handles an ARP packet; false if it is for other modules. */
  boolean handle(DatapathId switchId, OFPort inPort, Packet arp) {
    ImmutableMap<Integer, Fan.Address> now = addresses.get();
    Fan.@Nullable Address target = now.get(arp.dstAddress());
    if (arp.arpOperation() != Packet.ARP_REQUEST
        || target == null
        || arp.srcAddress() == arp.dstAddress()) {
      return false;
    }
    Fan.@Nullable Address sender = now.get(arp.srcAddress());
    int vlan = sender == null ? arp.vlan() : sender.vlan();
    boolean isItself = arp.srcMac().equals(target.mac());
    if (vlan == target.vlan() && !isItself) {
      programmer.sendFrame(switchId, List.of(inPort), Replies.arpReply(arp, target.mac()));
    }
    return true;
  }
}
