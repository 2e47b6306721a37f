package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.RejectReason;
import io.malob.json.RejectedException;
import io.malob.openflow.CookieKind;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.network.Prefix;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A member in another subnet, by a route.
 *
 * <pre>
 *  client --1 s1 2---1 s2 2-- router ... 10.2.0.5 (m1)
 *                       3 |           ... 10.3.0.9
 *                       neighbour
 * </pre>
 */
class RoutedMemberTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final IPv4Address SELF = IPv4Address.of("10.0.0.200");
  private static final IPv4Address REMOTE = IPv4Address.of("10.3.0.9");
  private static final MacAddress VIP_MAC = MacAddress.of("02:00:00:00:00:99");
  private static final int SYN = Packet.TCP_SYN;

  private final BalancerNetwork net = network(Map.of("selfAddresses", "10.0.0.200/24"));
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.7");
  private final Host router = Host.of(s2, 2, "10.0.0.1");
  private final Host neighbour = Host.of(s2, 3, "10.0.0.12");

  /** Seen by the network as the router. */
  private final Host member = new Host(s2, 2, router.mac(), IPv4Address.of("10.2.0.5"));

  RoutedMemberTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 1);
  }

  @BeforeEach
  void client() {
    net.learn(client);
  }

  private static Prefix subnet() {
    return Prefix.parse("10.2.0.0", "16").orElseThrow();
  }

  private void route() throws RejectedException {
    net.module.routes().set(subnet(), router.ip());
  }

  private void pass(int seconds) {
    for (int tick = 0; tick < 4 * seconds; tick++) {
      net.passMillis(250);
      net.expire();
    }
  }

  private List<Delivery> fromRouter(IPv4Address source, int srcPort) {
    return net.send(router, Frames.tcp(router.mac(), VIP_MAC, source, srcPort, VIP, 80, SYN));
  }

  @Test
  void client_isServedByWayOfTheRouter_andRepliesComeBackTranslated() throws Exception {
    net.learn(router);
    route();
    net.webService(member);
    byte[] syn = Frames.tcp(client.mac(), VIP_MAC, client.ip(), 40_000, VIP, 80, SYN);
    List<Delivery> atRouter = net.send(client, syn);
    assertEquals(1, atRouter.size());
    assertEquals(router.port(), atRouter.get(0).port().getPortNumber());
    Packet request = Packet.parse(atRouter.get(0).frame());
    assertEquals(router.mac(), request.dstMac());
    assertEquals(member.address(), request.destination());
    byte[] reply =
        Frames.tcp(
            router.mac(), client.mac(), member.ip(), 8_080, client.ip(), 40_000, Packet.TCP_ACK);
    List<Delivery> atClient = net.send(router, reply);
    assertEquals(1, atClient.size());
    assertEquals(VIP, Packet.parse(atClient.get(0).frame()).source());
  }

  @Test
  void member_isLocatedWhileThereIsARoute() throws Exception {
    net.learn(router);
    net.webService(member);
    assertFalse(net.stats("m1").located());
    route();
    assertTrue(net.stats("m1").located());
    net.module.routes().remove(subnet());
    assertFalse(net.stats("m1").located());
  }

  @Test
  void routerThatIsSilent_isAskedForInsteadOfTheMember() throws Exception {
    route();
    net.webService(member);
    net.delivered.clear();
    net.pass(6);
    List<NeighbourMessage> questions =
        net.delivered.stream()
            .flatMap(each -> NeighbourMessage.of(Packet.parse(each.frame())).stream())
            .filter(message -> !message.target().equals(VIP))
            .toList();
    assertFalse(questions.isEmpty());
    assertEquals(
        Set.of(router.address()),
        questions.stream().map(NeighbourMessage::target).collect(Collectors.toSet()));
    assertTrue(questions.stream().allMatch(each -> each.sender().equals(SELF)));
    net.learn(router);
    assertTrue(net.stats("m1").located());
  }

  @Test
  void member_isCheckedOverTheRouter() throws Exception {
    net.learn(router);
    route();
    net.webService(member);
    net.create(
        Catalog.MONITORS, "id", "h", "pool_id", "p", "type", "TCP", "delay", "1", "timeout", "1");
    net.delivered.clear();
    net.pass(2);
    Packet probe =
        net.delivered.stream()
            .map(each -> Packet.parse(each.frame()))
            .filter(Packet::isTcpSyn)
            .findFirst()
            .orElseThrow();
    assertEquals(router.mac(), probe.dstMac());
    assertEquals(member.address(), probe.destination());
    assertEquals(SELF, probe.source());
  }

  /** The router would send the replies to that client directly. */
  @Test
  void clientBehindTheSameRouter_isServedByAnotherMember_orRefused() throws Exception {
    net.learn(router);
    route();
    net.webService(member);
    List<Delivery> refused = fromRouter(REMOTE, 40_000);
    assertEquals(1, refused.size());
    assertTrue(Packet.parse(refused.get(0).frame()).hasTcpFlags(Packet.TCP_RST));
    assertEquals(1, net.refused(RejectReason.SAME_NEXT_HOP));

    net.learn(neighbour);
    net.create(
        Catalog.MEMBERS,
        "id",
        "near",
        "address",
        neighbour.address().toString(),
        "port",
        "8080",
        "pool_id",
        "p");
    for (int port = 40_001; port < 40_005; port++) {
      List<Delivery> served = fromRouter(REMOTE, port);
      assertEquals(1, served.size());
      assertEquals(neighbour.address(), Packet.parse(served.get(0).frame()).destination());
    }
  }

  @Test
  void proactiveVip_isReactiveWhileAMemberIsBehindARouter() throws Exception {
    net.learn(router);
    net.learn(neighbour);
    route();
    net.webService(neighbour);
    net.change(Catalog.VIPS, "v", "placement", "proactive");
    net.send(client, Frames.arpRequest(client.mac(), client.ip(), VIP));
    pass(5);
    assertTrue(net.rules(s1, CookieKind.BUCKET).size() > 0);
    net.create(
        Catalog.MEMBERS,
        "id",
        "far",
        "address",
        member.address().toString(),
        "port",
        "8080",
        "pool_id",
        "p");
    pass(60);
    assertEquals(0, net.rules(s1, CookieKind.BUCKET).size());
  }

  @Test
  void clientsOfARouterThatMoves_areNotTakenForTheMember() throws Exception {
    net.learn(router);
    route();
    net.webService(member);
    Host elsewhere = new Host(s1, 3, router.mac(), REMOTE);
    byte[] direct = Frames.tcp(router.mac(), client.mac(), REMOTE, 1_000, client.ip(), 2_000, SYN);
    net.send(elsewhere, direct);
    assertEquals(0, net.refused(RejectReason.IN_DOUBT));
    assertEquals(1, net.passedOn.size());
  }
}
