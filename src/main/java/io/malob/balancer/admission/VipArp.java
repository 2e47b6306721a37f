package io.malob.balancer.admission;

import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.VipMac;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import java.util.List;
import java.util.function.Supplier;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** Answers broadcast and unicast ARP requests for VIPs at their ingress switch. Thread-safe. */
public final class VipArp {
  private final Supplier<BalancerView> views;
  private final FlowProgrammer programmer;

  public VipArp(Supplier<BalancerView> views, FlowProgrammer programmer) {
    this.views = views;
    this.programmer = programmer;
  }

  /**
   * Handles an ARP packet; false if it is not for a VIP. Replies to the controller's own requests
   * are for a VIP too and end here: the device tracker has seen them already.
   */
  public boolean handle(DatapathId switchId, OFPort inPort, Packet arp) {
    int target = arp.dstAddress();
    if (!views.get().catalog().isVipAddress(target)) {
      return false;
    }
    // a gratuitous ARP from a host that claims a VIP's address gets no answer
    if (arp.arpOperation() == Packet.ARP_REQUEST && arp.srcAddress() != target) {
      byte[] reply = Replies.arpReply(arp, VipMac.of(target));
      programmer.sendFrame(switchId, List.of(inPort), reply);
    }
    return true;
  }
}
