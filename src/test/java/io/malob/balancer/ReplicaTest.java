package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.PlacedConnection;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * A standby knows the connections of the master, and goes on with them.
 *
 * <pre>
 *  client 1 --1 s1 2---1 s2 2---1 s3 2-- member 1 (m1)
 *                                    3-- member 2 (m2)
 * </pre>
 */
class ReplicaTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;
  private static final int FIN = Packet.TCP_FIN;

  private final ControllerPair pair = pair(Map.of(), false);
  private final BalancerNetwork a = pair.a;
  private final BalancerNetwork b = pair.b;
  private final DatapathId s1 = pair.addSwitch(1);
  private final DatapathId s2 = pair.addSwitch(2);
  private final DatapathId s3 = pair.addSwitch(3);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host m1 = Host.of(s3, 2, "10.0.0.11");
  private final Host m2 = Host.of(s3, 3, "10.0.0.12");

  ReplicaTest(SwitchProfile profile) {
    super(profile);
  }

  @BeforeEach
  void buildNetwork() {
    pair.link(s1, 2, s2, 1);
    pair.link(s2, 2, s3, 1);
    pair.learn(m1);
    pair.learn(m2);
    pair.webService(m1, m2);
    pair.meet();
  }

  private byte[] toVip(int srcPort, int flags) {
    return Frames.tcp(
        client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, 80, flags);
  }

  private byte[] fromMember(Host member, int dstPort) {
    return Frames.tcp(member.mac(), client.mac(), member.ip(), 8_080, client.ip(), dstPort, ACK);
  }

  private Host open(int port) {
    return receiver(a.send(client, toVip(port, SYN)));
  }

  private Host receiver(List<Delivery> deliveries) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    int port = deliveries.get(0).port().getPortNumber();
    return port == 2 ? m1 : m2;
  }

  private static List<PlacedConnection> connections(BalancerNetwork controller) {
    return controller.module.connections(any -> true, null, 1_000).connections();
  }

  private static int open(BalancerNetwork controller) {
    return controller.module.counters().openConnections();
  }

  private static int dormant(BalancerNetwork controller) {
    return controller.module.counters().dormantConnections();
  }

  /** What both show is the same. */
  private void assertSame() {
    assertEquals(shown(a), shown(b));
    assertEquals(a.stats("m1").activeConnections(), b.stats("m1").activeConnections());
    assertEquals(a.stats("m2").activeConnections(), b.stats("m2").activeConnections());
    assertEquals(a.module.vipStats(), b.module.vipStats());
    assertEquals(a.module.paths(), b.module.paths());
    assertEquals(a.module.links().size(), 4);
    assertEquals(open(a), open(b));
    assertEquals(dormant(a), dormant(b));
  }

  private static List<String> shown(BalancerNetwork controller) {
    return connections(controller).stream()
        .map(
            each ->
                each.request()
                    + " "
                    + each.phase()
                    + " "
                    + each.server().number()
                    + " "
                    + each.generation()
                    + " "
                    + each.client()
                    + " "
                    + each.route())
        .toList();
  }

  private FakeRule requestRule(int port) {
    return a.table(s1).rules().stream()
        .filter(rule -> Cookie.is(rule.cookie(), CookieKind.REQUEST))
        .filter(rule -> rule.match().toString().contains(Integer.toString(port)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void placedConnections_areKnownToTheStandby() {
    open(40_000);
    open(40_001);
    pair.talk();
    assertEquals(2, open(b));
    assertEquals(2, b.module.vipStats().get("v").halfOpenConnections());
    assertSame();
  }

  @Test
  void heardEndedAndExpiredConnections_areKnownToTheStandby() {
    assumeEndsAreTold();
    open(40_000);
    open(40_001);
    open(40_002);
    a.repeatPacketIn(client, toVip(40_000, ACK));
    a.send(client, toVip(40_001, FIN | ACK));
    pair.talk();
    assertEquals(1, b.module.vipStats().get("v").halfOpenConnections());
    assertEquals(2, b.module.vipStats().get("v").activeConnections());
    assertSame();

    a.timeOut(s1, requestRule(40_000));
    a.timeOut(s1, requestRule(40_001));
    pair.talk();
    assertEquals(2, dormant(b));
    assertSame();

    a.send(client, toVip(40_000, ACK));
    pair.talk();
    assertEquals(1, dormant(b));
    assertSame();
  }

  @Test
  void closedConnection_isForgottenByTheStandby() {
    open(40_000);
    pair.talk();
    a.delete(Catalog.MEMBERS, "m1");
    pair.talk();
    assertEquals(0, open(b));
    assertEquals(0, b.module.vipStats().get("v").activeConnections());
  }

  @Test
  void peerThatIsReachedLater_getsEverything_andForgetsWhatHasGone() {
    open(40_000);
    open(40_001);
    pair.talk();
    pair.peersOfA.room = 0;
    a.delete(Catalog.MEMBERS, "m1");
    open(40_002);
    pair.talk();
    assertEquals(2, open(b));

    pair.peersOfA.room = Integer.MAX_VALUE;
    pair.meet();
    assertEquals(shown(a), shown(b));
    assertEquals(2, open(b));
  }

  @Test
  void standby_sendsNothing_andExpiresNothing() {
    open(40_000);
    pair.talk();
    b.flowMods.clear();
    b.learnBreak(s1, 2);
    pair.pass(90);
    assertEquals(1, open(b));
    assertEquals(List.of(), b.flowMods);
    assertEquals(0, b.module.counters().unsentBatches());
  }

  /** docs/explanation/scale.md has these figures: 86 when it is placed, 344 until it is dormant. */
  @Test
  void bytesPerConnection_areFew() {
    assumeEndsAreTold();
    pair.talk();
    long before = pair.peersOfA.bytes;
    for (int port = 40_000; port < 40_100; port++) {
      open(port);
    }
    pair.talk();
    assertEquals(100, open(b));
    long opened = (pair.peersOfA.bytes - before) / 100;
    assertTrue(opened >= 80 && opened <= 100, () -> opened + " bytes");
    for (int port = 40_000; port < 40_100; port++) {
      a.send(client, toVip(port, FIN | ACK));
    }
    pair.talk();
    for (int port = 40_000; port < 40_100; port++) {
      a.timeOut(s1, requestRule(port));
    }
    pair.talk();
    assertEquals(0, open(b));
    long all = (pair.peersOfA.bytes - before) / 100;
    assertTrue(all >= 320 && all <= 400, () -> all + " bytes");
  }

  @Test
  void takeOver_placesSynsBeforeTheSwitchesAreRead() {
    Host member = open(40_000);
    pair.talk();
    pair.kill();
    b.holdStatistics();
    b.flowMods.clear();
    pair.takeOver();

    List<FakeRule> labelsBefore = b.rules(s2, CookieKind.LABEL);
    receiver(b.send(client, toVip(40_001, SYN)));
    assertEquals(
        labelsBefore, b.rules(s2, CookieKind.LABEL), "the labels are those of the former master");
    assertEquals(2, open(b));

    b.releaseStatistics();
    pair.talk();
    assertEquals(2, open(b));
    assertEquals(0, b.module.reconcileStats().connectionsAdopted());
    assertGoesOn(member, 40_000);
  }

  /** Packets of the connection go both ways without the controller. */
  private void assertGoesOn(Host member, int port) {
    b.network.setController(
        (switchId, in, output) -> fail(switchId + " missed in table " + output.table()));
    assertEquals(member, receiver(b.send(client, toVip(port, ACK))));
    List<Delivery> replies = b.send(member, fromMember(member, port));
    assertEquals(1, replies.size());
    assertEquals(s1, replies.get(0).switchId());
  }

  @Test
  void connectionThatTheStandbyDidNotHearOf_isTakenFromItsRules() {
    open(40_000);
    pair.talk();
    Host member = open(40_001);
    pair.kill();
    pair.takeOver();
    pair.talk();
    assertEquals(2, open(b));
    assertEquals(1, b.module.reconcileStats().connectionsAdopted());
    assertGoesOn(member, 40_001);
  }

  @Test
  void connectionWithoutRules_isDormantAfterTheTakeOver() {
    open(40_000);
    open(40_001);
    pair.talk();
    pair.peersOfA.room = 0;
    a.timeOut(s1, requestRule(40_000));
    pair.kill();
    pair.takeOver();
    pair.talk();
    assertEquals(1, open(b));
    assertEquals(1, dormant(b));
    assertEquals(1, b.module.vipStats().get("v").activeConnections());
  }

  @Test
  void fiveTupleThatWasUsedAnew_staysWithTheMemberThatItsRulesName() {
    Host first = open(40_000);
    pair.talk();
    pair.peersOfA.room = 0;
    a.send(client, toVip(40_000, FIN | ACK));
    a.timeOut(s1, requestRule(40_000));
    Host second = open(40_000); // the next by turns
    assertNotEquals(first, second);
    pair.kill();
    pair.takeOver();
    pair.talk();
    assertEquals(1, open(b));
    assertGoesOn(second, 40_000);
    pair.pass(90);
    assertGoesOn(second, 40_000);
  }

  @Test
  void dormantConnectionThatHasGoneOn_keepsItsRules() {
    Host member = open(40_000);
    a.repeatPacketIn(client, toVip(40_000, ACK));
    a.timeOut(s1, requestRule(40_000));
    pair.talk();
    assertEquals(1, dormant(b));
    pair.peersOfA.room = 0;
    a.send(client, toVip(40_000, ACK));
    pair.kill();
    pair.takeOver();
    pair.talk();
    assertEquals(1, open(b));
    assertEquals(0, dormant(b));
    assertGoesOn(member, 40_000);
  }

  @Test
  void withoutAReplica_synsWaitUntilTheSwitchIsRead() {
    ControllerPair strangers = pair(Map.of(), false);
    DatapathId only = strangers.addSwitch(1);
    Host near = Host.of(only, 2, "10.0.0.11");
    strangers.learn(near);
    strangers.webService(near);
    strangers.peersOfB.reach();
    strangers.kill();
    strangers.b.holdStatistics();
    strangers.takeOver();
    Host one = Host.of(only, 1, "10.0.0.1");
    byte[] syn = Frames.tcp(one.mac(), EdgeMac.of(one.switchId()), one.ip(), 40_000, VIP, 80, SYN);
    assertEquals(List.of(), strangers.b.send(one, syn));
    strangers.b.delivered.clear();
    strangers.b.releaseStatistics();
    strangers.talk();
    // besides the announcement of the new VIP
    assertEquals(
        1,
        strangers.b.delivered.stream()
            .filter(delivery -> Packet.parse(delivery.frame()).kind() != Packet.Kind.ARP)
            .count());
  }

  @Test
  void partlyTakenOver_connectionsWaitForTheirMembersSwitch() {
    open(40_000);
    pair.talk();
    pair.kill();
    b.holdStatistics();
    pair.takeOver(s1);
    assertEquals(List.of(), b.send(client, toVip(40_001, SYN)));
    pair.takeOver(s2);
    b.delivered.clear();
    pair.takeOver(s3);
    assertEquals(1, b.delivered.size());
    assertEquals(2, open(b));
  }

  @Test
  void newLabels_areOfTheSlotOfTheNewMaster() {
    open(40_000);
    pair.talk();
    pair.kill();
    pair.takeOver();
    pair.talk();
    Host near = Host.of(s2, 3, "10.0.0.2");
    byte[] syn =
        Frames.tcp(near.mac(), EdgeMac.of(near.switchId()), near.ip(), 40_000, VIP, 80, SYN);
    receiver(b.send(near, syn));
    assertTrue(
        b.module.paths().stream()
            .filter(path -> path.path().src().equals(s2))
            .allMatch(path -> (path.label().getLong() & 0xffffff) >>> 19 == 1));
    assertTrue(
        b.module.paths().stream()
            .filter(path -> path.path().src().equals(s1))
            .allMatch(path -> (path.label().getLong() & 0xffffff) >>> 19 == 0));
  }

  @Test
  void messagesThatTheStandbyRefused_areSentAgain() {
    pair.peersOfA.room = 0;
    open(40_000);
    pair.talk();
    assertEquals(0, open(b));
    pair.peersOfA.room = Integer.MAX_VALUE;
    pair.talk();
    assertEquals(1, open(b));
    assertSame();
  }

  @Test
  void lastConnectionOfTheFormerMaster_whoseRuleTheSwitchRejected_goesOn() {
    open(40_000);
    pair.talk();
    Host member = open(40_001);
    // the client's switch obeyed the new master already
    FakeRule rejected = requestRule(40_001);
    a.table(s1).apply(deletion(rejected));
    pair.handOver();
    pair.talk();

    assertEquals(member, receiver(b.repeatPacketIn(client, toVip(40_001, ACK))));
    assertEquals(2, open(b));
    assertGoesOn(member, 40_001);
  }

  @Test
  void replyRuleOfAConnectionThatEndedInTheHandOver_isRemoved() {
    pair.learn(client);
    open(40_000);
    pair.talk();
    pair.peersOfA.room = 0;
    open(40_001);
    // it ended, and the member's switch obeyed the new master already
    a.table(s1).apply(deletion(requestRule(40_001)));
    assertEquals(2, replyRules());
    pair.handOver();
    pair.pass(3);
    assertEquals(1, replyRules());
    assertEquals(1, open(b));
  }

  @Test
  void connectionThatTheStandbyHearsOfAfterTheHandOver_isDormantWithoutRules() {
    open(40_000);
    pair.talk();
    pair.peersOfA.room = 0;
    open(40_001);
    a.table(s1).apply(deletion(requestRule(40_001)));
    b.holdStatistics();
    pair.handOver();
    pair.peersOfA.room = Integer.MAX_VALUE;
    pair.talk();
    assertEquals(2, open(b));
    b.releaseStatistics();
    pair.talk();
    assertEquals(1, open(b));
    assertEquals(1, dormant(b));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void connectionWhoseRuleTimesOutWhileItsSwitchIsRead_isDormant(boolean isHeardOf) {
    pair.learn(client);
    pair.peersOfA.room = isHeardOf ? Integer.MAX_VALUE : 0;
    open(40_000);
    pair.talk();
    pair.kill();
    b.holdStatistics();
    pair.takeOver();
    if (profile == SwitchProfile.ONE_TABLE_WITH_GROUPS) {
      b.passStatistics(); // the groups, for the rules that come first
      b.passStatistics(); // the groups that the rules refer to
    }
    b.passStatistics(); // the sizes of the tables
    b.timeOut(s1, requestRule(40_000));
    b.releaseStatistics();
    pair.pass(3);
    assertEquals(0, open(b));
    assertEquals(1, dormant(b));
  }

  @Test
  void connectionWhoseRuleTimesOutAfterItsMembersSwitchWasRead_isDormant() {
    Host member = open(40_000);
    pair.talk();
    pair.kill();
    b.holdStatistics();
    pair.takeOver();
    b.passStatistics(); // the sizes of the tables
    b.passStatistics(s3);
    b.timeOut(s1, requestRule(40_000));
    b.releaseStatistics();
    pair.talk();
    assertEquals(1, dormant(b));
    b.send(client, toVip(40_000, ACK));
    assertGoesOn(member, 40_000);
  }

  private long replyRules() {
    return a.table(s3).rules().stream()
        .filter(rule -> Cookie.is(rule.cookie(), CookieKind.REPLY))
        .count();
  }

  private static OFFlowMod deletion(FakeRule rule) {
    return BalancerNetwork.FACTORY
        .buildFlowDeleteStrict()
        .setTableId(rule.table())
        .setPriority(rule.priority())
        .setMatch(rule.match())
        .build();
  }
}
