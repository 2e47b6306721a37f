package io.malob.balancer.admission;

import io.malob.algorithm.AddressKey;
import io.malob.balancer.bucket.ProactiveClients;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.VipMac;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.NeighbourReplies;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.CatalogSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Answers ARP requests and neighbour solicitations for VIPs at their ingress switch, be they for
 * many or for one receiver. Thread-safe.
 */
public final class VipNeighbours {
  private final Supplier<BalancerView> views;
  private final FlowProgrammer programmer;
  private final RequestHandler.Clients clients;
  private final ProactiveClients proactiveClients;

  public VipNeighbours(
      Supplier<BalancerView> views,
      FlowProgrammer programmer,
      RequestHandler.Clients clients,
      ProactiveClients proactiveClients) {
    this.views = views;
    this.programmer = programmer;
    this.clients = clients;
    this.proactiveClients = proactiveClients;
  }

  /**
   * Handles a packet; false if it is no neighbour message for a VIP. Replies to the controller's
   * own requests are for a VIP too and end here: the device tracker has seen them already.
   */
  public boolean handle(DatapathId switchId, OFPort inPort, Packet packet) {
    Optional<NeighbourMessage> message = NeighbourMessage.of(packet);
    if (message.isEmpty()) {
      return false;
    }
    IPAddress<?> vip = message.get().addressee();
    CatalogSnapshot catalog = views.get().catalog();
    if (!catalog.isVipAddress(vip)) {
      // an announcement of the balancer's own that came back
      return catalog.isVipAddress(message.get().claimed()) && !message.get().isSolicitation();
    }
    // a host that announces a VIP's address as its own gets no answer
    if (message.get().isQuestion()) {
      byte[] answer = NeighbourReplies.answer(packet, message.get(), VipMac.of(vip));
      programmer.sendFrame(switchId, List.of(inPort), answer);
      learnClient(switchId, inPort, packet, message.get(), catalog);
    }
    return true;
  }

  private void learnClient(
      DatapathId switchId,
      OFPort inPort,
      Packet packet,
      NeighbourMessage question,
      CatalogSnapshot catalog) {
    if (question.sender().isUnspecified()) {
      return;
    }
    int vip = AddressKey.of(question.target());
    if (catalog.mayBeProactive(vip)) {
      clients
          .locate(switchId, inPort, packet)
          .ifPresent(at -> proactiveClients.learn(vip, AddressKey.of(question.sender()), at));
    }
  }
}
