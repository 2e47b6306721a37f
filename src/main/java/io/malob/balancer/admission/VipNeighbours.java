package io.malob.balancer.admission;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.VlanAddress;
import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.bucket.VipNextHops;
import io.malob.balancer.view.BalancerView;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.NeighbourReplies;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Vip;
import io.malob.state.network.SelfAddresses;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Answers ARP requests and neighbour solicitations at their ingress switch, be they for many or for
 * one receiver: of clients for their VIP, in its VLAN; of members for VIPs that check them, and for
 * next hops of clients if the VIP has another VLAN than the member, because both VLANs may have the
 * same subnet; of all hosts for the balancer's own addresses in their VLAN. Thread-safe.
 */
public record VipNeighbours(
    Supplier<BalancerView> views,
    RuleSender ruleSender,
    Clients clients,
    VipNextHops nextHops,
    SelfAddresses selfAddresses,
    RejectCounters rejects) {
  /**
   * Handles a packet; false if it is no neighbour message for a VIP, nor a question that is
   * answered here. Replies to the controller's own requests are for a VIP too and end here: the
   * device tracker has seen them already.
   */
  public boolean handle(DatapathId switchId, OFPort inPort, Packet packet) {
    Optional<NeighbourMessage> read = NeighbourMessage.of(packet);
    if (read.isEmpty()) {
      return false;
    }
    NeighbourMessage message = read.get();
    CatalogSnapshot catalog = views.get().catalog();
    int vlan = packet.vlan();
    IPAddress<?> vip = message.addressee();
    boolean isSelf = selfAddresses.contains(vip, vlan);
    if (!catalog.isVipAddress(vip) && !isSelf) {
      // an announcement of the balancer's own that came back
      return (catalog.isVipAddress(message.claimed(), vlan) && !message.isSolicitation())
          || answerForNextHop(switchId, inPort, packet, message, catalog);
    }
    boolean isInItsVlan = isSelf || catalog.isVipAddress(vip, vlan);
    if (isInItsVlan && packet.isDoubleTagged()) {
      rejects.count(RejectReason.DOUBLE_TAGGED);
      return true;
    }
    if (!isInItsVlan && !catalog.isMemberAddress(message.claimed(), vlan)) {
      return false; // a host in another VLAN
    }
    // a host that announces a VIP's address as its own gets no answer
    if (message.isQuestion()) {
      answer(switchId, inPort, packet, message);
      if (isInItsVlan) {
        learnNextHop(switchId, inPort, packet, message, catalog);
      }
    }
    return true;
  }

  private void answer(
      DatapathId switchId, OFPort inPort, Packet packet, NeighbourMessage question) {
    byte[] answer = NeighbourReplies.answer(packet, question, EdgeMac.of(switchId));
    ruleSender.sendFrame(switchId, List.of(inPort), answer);
  }

  /**
   * Answers a member that asks for a host in the VLAN of its VIP, which is another one: replies to
   * that host come to this switch then, which translates them. A host that is not known is searched
   * for there, and found by the next question.
   */
  private boolean answerForNextHop(
      DatapathId switchId,
      OFPort inPort,
      Packet packet,
      NeighbourMessage question,
      CatalogSnapshot catalog) {
    int vlan = packet.vlan();
    if (!question.isQuestion()
        || !catalog.isMemberAddress(question.sender(), vlan)
        || clients.find(new VlanAddress(question.target(), vlan)).isPresent()) {
      return false;
    }
    List<Vip> others =
        catalog.membersAt(question.sender()).stream()
            .flatMap(member -> catalog.vipOf(member).stream())
            .filter(vip -> vip.vlan() != vlan)
            .toList();
    for (Vip vip : others) {
      if (clients.find(new VlanAddress(question.target(), vip.vlan())).isPresent()) {
        answer(switchId, inPort, packet, question);
        return true;
      }
    }
    others.forEach(
        vip -> clients.probeAll(new VlanAddress(question.target(), vip.vlan()), vip.address()));
    return false;
  }

  private void learnNextHop(
      DatapathId switchId,
      OFPort inPort,
      Packet packet,
      NeighbourMessage question,
      CatalogSnapshot catalog) {
    if (question.sender().isUnspecified()) {
      return;
    }
    int asked = AddressKey.of(question.target());
    boolean isSelf = selfAddresses.contains(question.target());
    if (isSelf ? catalog.hasProactiveVips() : catalog.mayBeProactive(asked)) {
      clients
          .locate(switchId, inPort, packet)
          .ifPresent(
              at -> {
                nextHops.learn(asked, at);
                if (IpFamily.of(question.sender()) == IpFamily.IPV4) {
                  nextHops.learnAsker(asked, AddressKey.of(question.sender()), at);
                }
              });
    }
  }
}
