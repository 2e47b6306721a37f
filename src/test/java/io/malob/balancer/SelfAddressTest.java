package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.health.Health;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.CookieKind;
import io.malob.openflow.packet.EchoFrames;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A VIP that is in no subnet of the network, which a router sends to the balancer's own address.
 *
 * <pre>
 *  198.51.100.7 ... router --1 s1 2---1 s2 2-- member
 * </pre>
 */
class SelfAddressTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("203.0.113.10");
  private static final IPv4Address SELF = IPv4Address.of("10.0.0.200");
  private static final IPv4Address REMOTE = IPv4Address.of("198.51.100.7");

  private final BalancerNetwork net =
      network(Map.of("selfAddresses", "10.0.0.200/24, 2001:db8::200/64"));
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host router = Host.of(s1, 1, "10.0.0.1");
  private final Host member = Host.of(s2, 2, "10.0.0.11");

  SelfAddressTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 1);
    net.learn(router);
  }

  private void service() {
    net.create(Catalog.VIPS, "id", "v", "protocol", "tcp", "address", VIP.toString(), "port", "80");
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v");
    net.create(Catalog.MEMBERS, "id", "m", "address", "10.0.0.11", "port", "8080", "pool_id", "p");
  }

  /** The MAC that is told to the router as that of its next hop. */
  private MacAddress nextHop() {
    List<Delivery> answer =
        net.send(router, Frames.arpRequest(router.mac(), router.ip(), SELF)).stream()
            .filter(each -> each.switchId().equals(s1) && each.port().getPortNumber() == 1)
            .toList();
    assertEquals(1, answer.size());
    NeighbourMessage message =
        NeighbourMessage.of(Packet.parse(answer.get(0).frame())).orElseThrow();
    assertEquals(SELF, message.claimed());
    return message.mac();
  }

  private static Set<IPAddress<?>> askers(List<Delivery> deliveries) {
    return deliveries.stream()
        .flatMap(each -> NeighbourMessage.of(Packet.parse(each.frame())).stream())
        .filter(message -> message.isSolicitation() && !message.target().equals(VIP))
        .map(NeighbourMessage::sender)
        .collect(Collectors.toSet());
  }

  @Test
  void client_behindTheRouter_isServed() {
    net.learn(member);
    service();
    MacAddress nextHop = nextHop();
    byte[] syn = Frames.tcp(router.mac(), nextHop, REMOTE, 40_000, VIP, 80, Packet.TCP_SYN);
    List<Delivery> atMember = net.send(router, syn);
    assertEquals(1, atMember.size());
    assertEquals(member.ip(), Packet.parse(atMember.get(0).frame()).destination());
    byte[] reply =
        Frames.tcp(member.mac(), router.mac(), member.ip(), 8_080, REMOTE, 40_000, Packet.TCP_ACK);
    List<Delivery> atRouter = net.send(member, reply);
    assertEquals(1, atRouter.size());
    assertEquals(VIP, Packet.parse(atRouter.get(0).frame()).source());
    assertEquals(router.mac(), Packet.parse(atRouter.get(0).frame()).dstMac());
  }

  @Test
  void memberThatIsSilent_isAskedForFromItsSubnet() {
    net.delivered.clear();
    service();
    net.pass(1);
    assertEquals(Set.of(SELF), askers(net.delivered));
    byte[] answer = Frames.arpReply(member.mac(), router.mac(), member.ip(), SELF);
    assertEquals(List.of(), net.send(member, answer));
    assertEquals(List.of(), net.passedOn);
  }

  @Test
  void member_isCheckedFromItsSubnet_andItsAnswerComesBack() {
    net.learn(member);
    service();
    net.create(
        Catalog.MONITORS, "id", "h", "pool_id", "p", "type", "TCP", "delay", "1", "timeout", "1");
    net.delivered.clear();
    net.pass(2);
    Delivery probe =
        net.delivered.stream()
            .filter(each -> Packet.parse(each.frame()).isTcpSyn())
            .findFirst()
            .orElseThrow();
    assertEquals(SELF, Packet.parse(probe.frame()).source());
    net.send(member, Frames.synAck(member.mac(), probe.frame()));
    net.pass(1);
    assertEquals(Health.UP, net.stats("m").health());
    assertEquals(List.of(), net.passedOn);
  }

  @Test
  void pingOfTheBalancer_isAnswered_andNothingElse() {
    MacAddress nextHop = nextHop();
    Replies.Ends ends = new Replies.Ends(router.mac(), nextHop, router.ip(), 0, SELF, 0);
    List<Delivery> answer = net.send(router, EchoFrames.request(ends, 1, 2, 28));
    assertEquals(1, answer.size());
    assertTrue(Packet.parse(answer.get(0).frame()).isEchoReply());
    byte[] syn = Frames.tcp(router.mac(), nextHop, router.ip(), 40_000, SELF, 80, Packet.TCP_SYN);
    assertEquals(List.of(), net.send(router, syn));
    assertEquals(List.of(), net.passedOn, "goes to no other module");
  }

  @Test
  void rulesOfTheBalancersOwnAddresses_stayWithoutAVip_andWhenSwitchesAreRead() {
    int alone = net.rules(s1, CookieKind.VIP).size();
    assertTrue(alone > 0);
    service();
    assertTrue(net.rules(s1, CookieKind.VIP).size() > alone);
    net.delete(Catalog.MEMBERS, "m");
    net.delete(Catalog.POOLS, "p");
    net.delete(Catalog.VIPS, "v");
    net.pass(130);
    assertEquals(alone, net.rules(s1, CookieKind.VIP).size());
    assertFalse(net.requested.isEmpty());
  }
}
