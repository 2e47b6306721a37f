package io.malob.balancer.admission;

import io.malob.balancer.bucket.ProactiveClients;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.VipMac;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.state.catalog.CatalogSnapshot;
import java.util.List;
import java.util.function.Supplier;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** Answers broadcast and unicast ARP requests for VIPs at their ingress switch. Thread-safe. */
public final class VipArp {
  private final Supplier<BalancerView> views;
  private final FlowProgrammer programmer;
  private final RequestHandler.Clients clients;
  private final ProactiveClients proactiveClients;

  public VipArp(
      Supplier<BalancerView> views,
      FlowProgrammer programmer,
      HostFinder clients,
      ProactiveClients proactiveClients) {
    this.views = views;
    this.programmer = programmer;
    this.clients = clients;
    this.proactiveClients = proactiveClients;
  }

  /**
   * Handles an ARP packet; false if it is not for a VIP. Replies to the controller's own requests
   * are for a VIP too and end here: the device tracker has seen them already.
   */
  public boolean handle(DatapathId switchId, OFPort inPort, Packet arp) {
    int target = arp.dstAddress();
    CatalogSnapshot catalog = views.get().catalog();
    if (!catalog.isVipAddress(target)) {
      return false;
    }
    // a gratuitous ARP from a host that claims a VIP's address gets no answer
    if (arp.arpOperation() == Packet.ARP_REQUEST && arp.srcAddress() != target) {
      byte[] reply = Replies.arpReply(arp, VipMac.of(target));
      programmer.sendFrame(switchId, List.of(inPort), reply);
      if (catalog.mayBeProactive(target)) {
        clients
            .locate(switchId, inPort, arp)
            .ifPresent(at -> proactiveClients.learn(target, arp.srcAddress(), at));
      }
    }
    return true;
  }
}
