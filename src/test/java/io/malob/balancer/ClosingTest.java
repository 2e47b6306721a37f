package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * Connections that end because an operator or the network ends them.
 *
 * <pre>
 *  client --1 s1 2---1 s2 2-- member
 * </pre>
 */
class ClosingTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;
  private static final int FIN = Packet.TCP_FIN;

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host member = Host.of(s2, 2, "10.0.0.11");

  ClosingTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 1);
    net.learn(client);
    net.learn(member);
    net.webService(member);
  }

  private List<Delivery> toVip(int srcPort, int flags) {
    return net.send(
        client,
        Frames.tcp(
            client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, 80, flags));
  }

  private List<Delivery> toClient(int dstPort, int flags) {
    return net.send(
        member,
        Frames.tcp(member.mac(), client.mac(), member.ip(), 8_080, client.ip(), dstPort, flags));
  }

  private void open(int srcPort) {
    assertEquals(1, toVip(srcPort, SYN).size());
    assertEquals(1, toClient(srcPort, SYN | ACK).size());
    net.delivered.clear();
  }

  /** What the hosts are told within that time. */
  private List<Packet> told(int millis) {
    net.delivered.clear();
    net.nanoTime.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    net.pass(0);
    return net.delivered.stream()
        .map(out -> Packet.parse(out.frame()))
        .filter(packet -> packet.kind() != Packet.Kind.ARP) // the announcement of the VIP
        .toList();
  }

  /** A switch returns, whose host is then told, and no other. */
  private Packet toldAfterReturnOf(DatapathId switchId) {
    net.reconnect(switchId);
    assertEquals(List.of(), told(100), "the switch may still go by an old rule");
    List<Packet> told = told(300);
    assertEquals(1, told.size());
    return told.get(0);
  }

  private static void assertSyn(Packet packet, String from, int srcPort, Host to, int dstPort) {
    assertTrue(packet.isTcpSyn());
    assertEquals(IPv4Address.of(from).getInt(), packet.srcAddress());
    assertEquals(srcPort, packet.srcPort());
    assertEquals(to.ip().getInt(), packet.dstAddress());
    assertEquals(dstPort, packet.dstPort());
    assertEquals(to.mac(), packet.dstMac());
  }

  private static Packet only(List<Delivery> deliveries) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    return Packet.parse(deliveries.get(0).frame());
  }

  private static void assertReset(Packet packet, Host receiver) {
    assertTrue(packet.hasTcpFlags(Packet.TCP_RST));
    assertEquals(receiver.ip().getInt(), packet.dstAddress());
    assertEquals(receiver.mac(), packet.dstMac());
  }

  @Test
  void deletedMember_hasBothEndsProvokedAndTheirAnswersReset() {
    open(40_000);

    net.delete(Catalog.MEMBERS, "m1");
    assertEquals(List.of(), told(200), "switches may still go by the old rules");
    List<Packet> told = told(100);

    assertEquals(2, told.size());
    assertSyn(told.get(0), "10.0.0.100", 80, client, 40_000);
    assertEquals(EdgeMac.of(client.switchId()), told.get(0).srcMac());
    assertSyn(told.get(1), "10.0.0.1", 40_000, member, 8_080);
    assertReset(only(toVip(40_000, ACK)), client);
    assertReset(only(toClient(40_000, ACK)), member);
    assertEquals(List.of(), told(5_000), "once is enough");
  }

  @Test
  void deletedMember_leaksNothingToTheClient() {
    open(40_000);

    net.delete(Catalog.MEMBERS, "m1");

    assertReset(only(toClient(40_000, ACK)), member);
    assertEquals(List.of(), toClient(40_000, Packet.TCP_RST), "no reset of a reset");
    assertEquals(List.of(), net.passedOn);
  }

  @Test
  void ruleOfAClosedConnection_goesByItself() {
    open(40_000);
    net.delete(Catalog.MEMBERS, "m1");

    FakeRule rule = net.rules(s2, CookieKind.CLOSED).get(0);
    assertEquals(30, rule.hardTimeout());
  }

  @Test
  void deletedVip_hasBothEndsReset() {
    open(40_000);

    net.delete(Catalog.VIPS, "v");

    assertEquals(2, told(300).size());
    assertReset(only(toVip(40_000, ACK)), client);
    assertReset(only(toClient(40_000, ACK)), member);
    assertEquals(List.of(), net.passedOn);
  }

  @Test
  void connectionThatSleeps_isToldAsWell() {
    open(40_000);
    only(toVip(40_000, ACK));
    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));

    net.delete(Catalog.MEMBERS, "m1");

    assertEquals(2, told(300).size());
    assertReset(only(toVip(40_000, ACK)), client);
    assertReset(only(toClient(40_000, ACK)), member);
  }

  @Test
  void clientWhoseSwitchIsAway_isToldWhenItIsBack() {
    open(40_000);
    only(toVip(40_000, ACK));
    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));
    net.disconnect(s1);

    net.delete(Catalog.MEMBERS, "m1");
    List<Packet> told = told(300);
    assertEquals(1, told.size());
    assertSyn(told.get(0), "10.0.0.1", 40_000, member, 8_080);
    assertEquals(List.of(), told(5_000));

    assertSyn(toldAfterReturnOf(s1), "10.0.0.100", 80, client, 40_000);
    assertReset(only(toVip(40_000, ACK)), client);
    assertEquals(List.of(), told(5_000), "once is enough");
  }

  @Test
  void clientWhoseSwitchIsAwayAndHasItsRule_isToldWhenItIsBack() {
    open(40_000);
    only(toVip(40_000, ACK));
    net.disconnect(s1);

    net.delete(Catalog.MEMBERS, "m1");
    assertEquals(1, told(300).size());

    assertSyn(toldAfterReturnOf(s1), "10.0.0.100", 80, client, 40_000);
    assertReset(only(toVip(40_000, ACK)), client);
  }

  @Test
  void memberWhoseSwitchIsAway_isToldWhenItIsBack() {
    open(40_000);
    only(toVip(40_000, ACK));
    net.disconnect(s2);

    net.delete(Catalog.MEMBERS, "m1");
    List<Packet> told = told(300);
    assertEquals(1, told.size());
    assertSyn(told.get(0), "10.0.0.100", 80, client, 40_000);

    assertSyn(toldAfterReturnOf(s2), "10.0.0.1", 40_000, member, 8_080);
    assertReset(only(toClient(40_000, ACK)), member);
  }

  @Test
  void switchThatIsAwayForLong_isNotWaitedFor() {
    open(40_000);
    only(toVip(40_000, ACK));
    net.disconnect(s1);
    net.delete(Catalog.MEMBERS, "m1");
    told(300);

    told((int) TimeUnit.MINUTES.toMillis(5));
    net.reconnect(s1);

    assertEquals(List.of(), told(100));
    assertEquals(List.of(), told(1_000));
  }

  @Test
  void connectionThatItsClientHasEnded_isNotTold() {
    assumeEndsAreTold();
    open(40_000);
    open(40_001);
    toVip(40_000, FIN | ACK);
    toVip(40_001, FIN | ACK);
    FakeRule rule =
        net.rules(s1, CookieKind.REQUEST).stream()
            .filter(each -> each.match().toString().contains("40001"))
            .findFirst()
            .get();
    net.timeOut(s1, rule);

    net.delete(Catalog.MEMBERS, "m1");

    assertEquals(List.of(), told(300));
    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
    assertFalse(
        net.table(s2).rules().stream().anyMatch(each -> each.match().toString().contains("40000")));
  }

  @Test
  void brokenPath_hasBothEndsReset() {
    open(40_000);

    net.unlink(s1, 2);

    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
    assertEquals(2, told(300).size());
    assertReset(only(toVip(40_000, ACK)), client);
    assertReset(only(toClient(40_000, ACK)), member);
  }

  @Test
  void portUsedAgainMeanwhile_isNotProvoked() {
    open(40_000);
    net.delete(Catalog.MEMBERS, "m1");
    net.create(Catalog.MEMBERS, "id", "m2", "address", "10.0.0.11", "port", "8080", "pool_id", "p");

    Packet atMember = only(toVip(40_000, SYN));

    assertTrue(atMember.isTcpSyn());
    assertEquals(List.of(), told(300));
    assertEquals(VIP.getInt(), only(toClient(40_000, SYN | ACK)).srcAddress());
  }

  @Test
  void vipThatIsThereAgain_servesThePortOfAClosedConnection() {
    open(40_000);
    net.delete(Catalog.VIPS, "v");
    net.create(Catalog.VIPS, "id", "v", "protocol", "tcp", "address", "10.0.0.100", "port", "80");
    net.delete(Catalog.POOLS, "p");
    net.create(Catalog.POOLS, "id", "q", "vip_id", "v");
    net.create(Catalog.MEMBERS, "id", "m9", "address", "10.0.0.11", "port", "8080", "pool_id", "q");

    assertTrue(only(toVip(40_000, SYN)).isTcpSyn());
    assertEquals(member.ip().getInt(), only(toVip(40_000, ACK)).dstAddress());
    assertEquals(VIP.getInt(), only(toClient(40_000, ACK)).srcAddress());
  }

  @Test
  void manyConnections_areToldInBatches() {
    for (int port = 40_000; port < 40_250; port++) {
      open(port);
    }

    net.delete(Catalog.MEMBERS, "m1");

    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST), "cut off at once");
    assertEquals(List.of(), told(100)); // the second hundred is barred now
    assertEquals(List.of(), told(100));
    assertEquals(200, told(100).size());
    assertEquals(200, told(100).size());
    assertEquals(100, told(100).size());
    assertEquals(List.of(), told(1_000));
  }
}
