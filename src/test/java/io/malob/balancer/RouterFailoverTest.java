package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.admission.Relocations;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A client behind two routers, of which one takes over from the other.
 *
 * <pre>
 *  r1 --1 s1 2---1 s2 2---1 s3 2-- member (m1)
 *                 4|
 *                  r2
 * </pre>
 */
class RouterFailoverTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final IPv4Address CLIENT = IPv4Address.of("192.168.7.7");
  private static final MacAddress VIRTUAL = MacAddress.of("00:00:5e:00:01:01");
  private static final int SYN = Packet.TCP_SYN;
  private static final int SYN_ACK = Packet.TCP_SYN | Packet.TCP_ACK;
  private static final int ACK = Packet.TCP_ACK;

  private BalancerNetwork net;
  private DatapathId s1;
  private Host r1;
  private Host r2;
  private Host member;

  RouterFailoverTest(SwitchProfile profile) {
    super(profile);
    setUp(Map.of());
  }

  private void setUp(Map<String, String> settings) {
    net = network(settings);
    s1 = net.addSwitch(1);
    DatapathId s2 = net.addSwitch(2);
    DatapathId s3 = net.addSwitch(3);
    r1 = Host.of(s1, 1, "10.0.0.1");
    r2 = Host.of(s2, 4, "10.0.0.2");
    member = Host.of(s3, 2, "10.0.0.11");
    net.link(s1, 2, s2, 1);
    net.link(s2, 2, s3, 1);
    net.learn(r1);
    net.learn(r2);
    net.learn(member);
    net.webService(member);
  }

  /** A packet of the client, which a router has forwarded. */
  private List<Delivery> by(Host router, int port, int flags) {
    return net.send(
        router,
        Frames.tcp(router.mac(), EdgeMac.of(router.switchId()), CLIENT, port, VIP, 80, flags));
  }

  private List<Delivery> reply(MacAddress to, int port, int flags) {
    return net.send(member, Frames.tcp(member.mac(), to, member.ip(), 8_080, CLIENT, port, flags));
  }

  private static Packet only(List<Delivery> deliveries, Host receiver) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(receiver.switchId(), deliveries.get(0).switchId());
    assertEquals(receiver.port(), deliveries.get(0).port().getPortNumber());
    Packet packet = Packet.parse(deliveries.get(0).frame());
    assertEquals(receiver.mac(), packet.dstMac());
    return packet;
  }

  /** Opens a connection whose requests and replies pass the first router. */
  private void open(MacAddress gateway, Host atGateway) {
    only(by(r1, 40_000, SYN), member);
    only(reply(gateway, 40_000, SYN_ACK), atGateway);
    only(by(r1, 40_000, ACK), member);
    only(reply(gateway, 40_000, ACK), atGateway);
    net.nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(2));
  }

  private void withoutController() {
    net.network.setController(
        (switchId, port, output) -> fail(switchId + " missed in table " + output.table()));
  }

  private static Host with(Host host, MacAddress mac) {
    return new Host(host.switchId(), host.port(), mac, host.ip());
  }

  /** The gateway's address has another MAC, as the member has learned by a gratuitous ARP. */
  @Test
  void replyThatTheMemberSendsToAnotherRouter_reachesIt_andTheRestGoesByRules() {
    open(r1.mac(), r1);

    only(reply(r2.mac(), 40_000, ACK), r2);

    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
    withoutController();
    assertEquals(VIP.getInt(), only(reply(r2.mac(), 40_000, ACK), r2).srcAddress());
    assertEquals(member.ip().getInt(), only(by(r2, 40_000, ACK), member).dstAddress());
    assertEquals(1, net.stats("m1").totalConnections());
    assertEquals(1, net.stats("m1").activeConnections());
  }

  @Test
  void requestThatAnotherRouterSends_isFollowed_thoughThePortOfTheFirstIsUp() {
    open(r1.mac(), r1);

    only(by(r2, 40_000, ACK), member);

    withoutController();
    only(by(r2, 40_000, ACK), member);
    only(reply(r1.mac(), 40_000, ACK), r2);
  }

  /** The member learns of the other router after the requests have come from it. */
  @Test
  void memberThatChangesItsRouterLater_isUnderstood() {
    open(r1.mac(), r1);
    only(by(r2, 40_000, ACK), member);

    only(reply(r2.mac(), 40_000, ACK), r2);

    withoutController();
    only(reply(r2.mac(), 40_000, ACK), r2);
    only(by(r2, 40_000, ACK), member);
  }

  @Test
  void virtualMac_getsTheReplies_andTakesConnectionsWithItWhenItMoves() {
    Host first = with(r1, VIRTUAL);
    Host second = with(r2, VIRTUAL);
    net.learn(new Host(first.switchId(), first.port(), VIRTUAL, IPv4Address.of("10.0.0.254")));
    open(VIRTUAL, first);

    net.learn(new Host(second.switchId(), second.port(), VIRTUAL, IPv4Address.of("10.0.0.254")));
    net.passMillis(Relocations.TICK_MILLIS);

    withoutController();
    only(reply(VIRTUAL, 40_000, ACK), second);
    only(by(r2, 40_000, ACK), member);
  }

  @Test
  void gatewayOfAMember_isExpectedOfLaterConnections() {
    Host gateway = with(r1, VIRTUAL);
    net.learn(new Host(gateway.switchId(), gateway.port(), VIRTUAL, IPv4Address.of("10.0.0.254")));
    open(VIRTUAL, gateway);

    only(by(r1, 40_001, SYN), member);

    withoutController();
    only(reply(VIRTUAL, 40_001, SYN_ACK), r1);
  }

  @Test
  void laterConnections_moveWithTheGatewayOfTheirMember() {
    Host gateway = with(r1, VIRTUAL);
    net.learn(new Host(gateway.switchId(), gateway.port(), VIRTUAL, IPv4Address.of("10.0.0.254")));
    open(VIRTUAL, gateway);
    only(by(r1, 40_001, SYN), member);
    only(reply(VIRTUAL, 40_001, SYN_ACK), r1);

    net.learn(new Host(r2.switchId(), r2.port(), VIRTUAL, IPv4Address.of("10.0.0.254")));
    net.passMillis(Relocations.TICK_MILLIS);

    withoutController();
    only(reply(VIRTUAL, 40_001, ACK), with(r2, VIRTUAL));
    only(reply(VIRTUAL, 40_000, ACK), with(r2, VIRTUAL));
  }

  /** Both are behind one legacy switch. */
  @Test
  void routerAtThePortOfTheOther_getsTheReplies() {
    Host other = new Host(r1.switchId(), r1.port(), r2.mac(), r2.ip());
    net.learn(other);
    open(r1.mac(), r1);

    only(reply(other.mac(), 40_000, ACK), other);

    withoutController();
    only(reply(other.mac(), 40_000, ACK), other);
    only(by(other, 40_000, ACK), member);
  }

  /** Its subnet may be another than that of the clients. */
  @Test
  void memberWithAGatewayOfItsOwn_isAnsweredByTheRouterOfTheRequests() {
    MacAddress elsewhere = MacAddress.of("02:00:00:00:99:01");
    open(elsewhere, r1);
    withoutController();
    only(reply(elsewhere, 40_000, ACK), r1);
  }

  /** A rule for replies to the first router, as an earlier controller may have left it. */
  @Test
  void restart_keepsTheRouterOfReplies_andARuleForAnotherGoes() {
    Host gateway = with(r1, VIRTUAL);
    net.learn(new Host(gateway.switchId(), gateway.port(), VIRTUAL, IPv4Address.of("10.0.0.254")));
    open(VIRTUAL, gateway);
    only(by(r1, 40_001, SYN), member);
    only(reply(VIRTUAL, 40_001, SYN_ACK), r1);
    only(by(r1, 40_001, ACK), member);
    int replies = net.rules(member.switchId(), CookieKind.REPLY).size();

    BalancerNetwork after = net.restarted();
    after.webService(member);
    after.addSwitch(1);
    after.addSwitch(2);
    after.addSwitch(3);
    after.link(s1, 2, r2.switchId(), 1);
    after.link(r2.switchId(), 2, member.switchId(), 1);
    after.learn(member);
    after.pass(2);

    assertEquals(replies, after.rules(member.switchId(), CookieKind.REPLY).size());
    assertEquals(2, after.stats("m1").activeConnections());
    net = after;
    withoutController();
    only(reply(VIRTUAL, 40_001, ACK), r1);
    only(reply(VIRTUAL, 40_000, ACK), gateway);
  }

  @Test
  void routersOfTheSetting_areFollowed_othersAreNot() {
    setUp(Map.of("routers", "10.0.0.1, " + r2.mac()));
    Host thief = Host.of(r2.switchId(), 3, "10.0.0.3");
    net.learn(thief);
    open(r1.mac(), r1);

    only(by(thief, 40_000, ACK), member);
    only(reply(r1.mac(), 40_000, ACK), r1);
    assertEquals(1, net.rules(s1, CookieKind.REQUEST).size());
    net.nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(2));

    only(by(r2, 40_000, ACK), member);
    only(reply(r1.mac(), 40_000, ACK), r2);
  }

  @Test
  void addressOfAHost_isNoRouters() {
    net.learn(new Host(s1, 1, r1.mac(), CLIENT));
    open(r1.mac(), r1);

    only(by(r2, 40_000, ACK), member);
    only(reply(r2.mac(), 40_000, ACK), r1);

    assertEquals(1, net.rules(s1, CookieKind.REQUEST).size());
  }
}
