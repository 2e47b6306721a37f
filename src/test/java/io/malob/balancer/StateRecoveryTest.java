package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.RejectReason;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFStatsType;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * A controller that was restarted takes over the connections that it finds on the switches.
 *
 * <pre>
 *  client 1 --1 s1 2---1 s2 2---1 s3 2-- member 1 (m1)
 *                4               4 3
 *                 \--1 s4 2-----/  member 2 (m2)
 * </pre>
 */
class StateRecoveryTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;
  private static final int PATIENCE_SECONDS = 5;
  private static final int ADOPT_SECONDS = 60;

  private final BalancerNetwork before = network();
  private final DatapathId s1 = before.addSwitch(1);
  private final DatapathId s2 = before.addSwitch(2);
  private final DatapathId s3 = before.addSwitch(3);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host far = Host.of(s3, 2, "10.0.0.11");
  private final Host farToo = Host.of(s3, 3, "10.0.0.12");
  private BalancerNetwork after;

  StateRecoveryTest(SwitchProfile profile) {
    super(profile);
  }

  @BeforeEach
  void openOneConnection() {
    before.link(s1, 2, s2, 1);
    before.link(s2, 2, s3, 1);
    before.learn(far);
    before.learn(farToo);
    before.webService(far, farToo);
    only(before.send(client, toVip(40_000, SYN)), far);
    // the packets that the first one's rules were too late for
    only(before.send(far, fromMember(40_000)), client);
    after = before.restarted();
    after.webService(far, farToo);
  }

  private byte[] toVip(int srcPort, int flags) {
    return Frames.tcp(
        client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, 80, flags);
  }

  private byte[] fromMember(int dstPort) {
    return Frames.tcp(far.mac(), client.mac(), far.ip(), 8_080, client.ip(), dstPort, ACK);
  }

  private static Packet only(List<Delivery> deliveries, Host receiver) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(receiver.switchId(), deliveries.get(0).switchId());
    assertEquals(receiver.port(), deliveries.get(0).port().getPortNumber());
    return Packet.parse(deliveries.get(0).frame());
  }

  private void linkAll() {
    after.link(s1, 2, s2, 1);
    after.link(s2, 2, s3, 1);
  }

  private void learnAll() {
    after.learn(far);
    after.learn(farToo);
  }

  private void connectAll() {
    after.addSwitch(1);
    after.addSwitch(2);
    after.addSwitch(3);
    linkAll();
    learnAll();
  }

  /** Packets of the connection go both ways without the controller. */
  private void assertGoesOn() {
    after.network.setController(
        (switchId, port, output) -> fail(switchId + " missed in table " + output.table()));
    only(after.send(client, toVip(40_000, ACK)), far);
    only(after.send(far, fromMember(40_000)), client);
  }

  private static OFFlowMod deletion(FakeRule rule) {
    return BalancerNetwork.FACTORY
        .buildFlowDeleteStrict()
        .setTableId(rule.table())
        .setPriority(rule.priority())
        .setMatch(rule.match())
        .build();
  }

  private List<FakeRule> rulesOfConnections() {
    return List.of(s1, s2, s3).stream()
        .flatMap(id -> after.table(id).rules().stream())
        .filter(
            rule ->
                Cookie.is(rule.cookie(), CookieKind.REQUEST)
                    || Cookie.is(rule.cookie(), CookieKind.REPLY))
        .toList();
  }

  @Test
  void openConnection_goesOnAndCountsWithNoRuleTouched() {
    List<FakeRule> rules = rulesOfConnections();
    List<FakeRule> labels = after.rules(s2, CookieKind.LABEL);

    connectAll();

    assertEquals(1, after.module.reconcileStats().connectionsAdopted());
    assertEquals(0, after.module.reconcileStats().connectionsPending());
    assertEquals(1, after.stats("m1").activeConnections());
    assertEquals(0, after.stats("m1").totalConnections(), "placed by an earlier run");
    assertEquals(rules, rulesOfConnections());
    assertEquals(labels, after.rules(s2, CookieKind.LABEL));
    assertGoesOn();
  }

  /** So many that they are recovered in several slices. */
  @Test
  void manyConnections_allCount() {
    int many = 987;
    BalancerNetwork crowded = network();
    crowded.addSwitch(1);
    crowded.addSwitch(2);
    crowded.addSwitch(3);
    crowded.link(s1, 2, s2, 1);
    crowded.link(s2, 2, s3, 1);
    crowded.learn(far);
    crowded.learn(farToo);
    crowded.webService(far, farToo);
    for (int i = 0; i < many; i++) {
      crowded.send(client, toVip(40_000 + i, SYN));
    }
    after = crowded.restarted();
    after.webService(far, farToo);

    connectAll();

    assertEquals(many, after.module.reconcileStats().connectionsAdopted());
    assertEquals(0, after.module.reconcileStats().connectionsPending());
    assertEquals(
        many, after.stats("m1").activeConnections() + after.stats("m2").activeConnections());
  }

  /** The switch of the only other way may not be back yet: this run has never seen it. */
  @Test
  void recoveredConnectionWhosePathBreaksSoonAfterTheRestart_isNotEnded() {
    connectAll();
    after.learnBreak(s2, 2);
    after.pass(10);
    assertEquals(1, after.stats("m1").activeConnections());

    after.learnLink(s2, 2, s3, 1);

    assertGoesOn();
  }

  @Test
  void recoveredConnectionWhosePathStaysBroken_isEnded() {
    connectAll();
    after.learnBreak(s2, 2);

    after.pass(40);

    assertEquals(0, after.stats("m1").activeConnections());
  }

  @Test
  void recoveredLabel_servesNewConnectionsOfItsPath() {
    List<FakeRule> labels = after.rules(s2, CookieKind.LABEL);
    connectAll();

    only(after.send(client, toVip(40_001, SYN)), far);

    assertEquals(labels, after.rules(s2, CookieKind.LABEL));
    assertEquals(2, after.module.paths().stream().filter(path -> path.connections() == 2).count());
  }

  @Test
  void recoveredConnection_endsByFinAndByTimeOut() {
    assumeEndsAreTold();
    connectAll();

    only(after.send(client, toVip(40_000, Packet.TCP_FIN | ACK)), far);
    assertEquals(0, after.stats("m1").activeConnections());

    after.timeOut(s1, after.rules(s1, CookieKind.REQUEST).get(0));
    assertEquals(0, after.stats("m1").activeConnections());
    only(after.send(client, toVip(40_000, ACK)), far);
    assertEquals(1, after.stats("m1").activeConnections(), "remembered, and goes on");
  }

  @Test
  void recoveredConnectionWhoseRuleIsRefusedLater_ends() {
    connectAll();
    after.timeOut(s1, after.rules(s1, CookieKind.REQUEST).get(0));
    after.refuse(CookieKind.REQUEST, true);

    after.send(client, toVip(40_000, ACK));

    assertEquals(1, after.refused(RejectReason.RULE_REFUSED));
    assertEquals(0, after.module.counters().openConnections());
  }

  @Test
  void recoveredConnectionOnABrokenLink_isRepaired() {
    connectAll();
    DatapathId s4 = after.addSwitch(4);
    after.link(s1, 4, s4, 1);
    after.link(s4, 2, s3, 4);

    after.unlink(s2, 2);

    after.passMillis(50);
    assertEquals(2, after.rules(s4, CookieKind.LABEL).size());
    assertGoesOn();
  }

  @Test
  void linkThatBrokeMeanwhile_isGoneAround() {
    after.addSwitch(1);
    after.addSwitch(2);
    after.addSwitch(3);
    after.link(s1, 2, s2, 1);
    DatapathId s4 = after.addSwitch(4);
    after.link(s1, 4, s4, 1);
    after.link(s4, 2, s3, 4);
    after.network.cut(s2, 2);
    learnAll();
    assertEquals(
        1, after.module.reconcileStats().connectionsPending(), "the link may be found yet");

    after.pass(PATIENCE_SECONDS);
    after.pass(PATIENCE_SECONDS);

    assertEquals(1, after.module.reconcileStats().connectionsAdopted());
    assertEquals(1, after.stats("m1").activeConnections());
    assertGoesOn();
  }

  @Test
  void switchesAndLinksInAnyOrder_completeTheConnectionInTheEnd() {
    after.addSwitch(3);
    learnAll();
    after.addSwitch(2);
    after.link(s2, 2, s3, 1);
    assertEquals(
        0, after.module.reconcileStats().connectionsPending(), "the client's edge is not there");
    after.addSwitch(1);
    assertEquals(1, after.module.reconcileStats().connectionsPending());

    after.link(s1, 2, s2, 1);

    assertEquals(1, after.module.reconcileStats().connectionsAdopted());
    assertGoesOn();
  }

  @Test
  void memberThatIsNotSeenYet_keepsTheConnectionWaiting() {
    after.addSwitch(1);
    after.addSwitch(2);
    after.addSwitch(3);
    linkAll();
    after.pass(ADOPT_SECONDS + 5);
    after.pass(35);
    assertEquals(1, after.module.reconcileStats().connectionsPending());
    assertEquals(0, after.stats("m1").activeConnections());

    learnAll();

    assertEquals(1, after.stats("m1").activeConnections());
    assertGoesOn();
  }

  @Test
  void pendingConnection_isNeitherResetNorPlacedAnew() {
    after.addSwitch(1);
    after.delivered.clear();

    assertEquals(List.of(), after.repeatPacketIn(client, toVip(40_000, ACK)));
    assertEquals(List.of(), after.repeatPacketIn(far, fromMember(40_000)));

    assertEquals(List.of(), after.passedOn, "and nobody else gets its packets");
    assertEquals(1, after.module.reconcileStats().connectionsPending());
    connectAll();
    assertEquals(1, after.stats("m1").activeConnections());
  }

  @Test
  void pendingConnectionThatEnds_doesNotCount() {
    assumeEndsAreTold();
    after.addSwitch(1);
    after.send(client, toVip(40_000, Packet.TCP_FIN | ACK));

    connectAll();

    assertEquals(1, after.module.reconcileStats().connectionsAdopted());
    assertEquals(0, after.stats("m1").activeConnections());
  }

  @Test
  void pendingConnectionWhoseRuleTimesOut_isDormantOnceRecovered() {
    after.addSwitch(1);
    after.timeOut(s1, after.rules(s1, CookieKind.REQUEST).get(0));
    assertEquals(List.of(), after.send(client, toVip(40_000, ACK)), "neither reset nor placed");

    connectAll();

    assertEquals(0, after.module.reconcileStats().connectionsPending());
    assertEquals(1, after.module.reconcileStats().connectionsAdopted());
    assertEquals(0, after.stats("m1").activeConnections());
    only(after.send(client, toVip(40_000, ACK)), far);
    assertEquals(1, after.stats("m1").activeConnections());
  }

  @Test
  void pendingConnectionWhoseRuleIsNotFoundAgain_isDormantOnceRecovered() {
    after.addSwitch(1);
    after.disconnect(s1);
    FakeRule rule = after.rules(s1, CookieKind.REQUEST).get(0);
    after.table(s1).apply(deletion(rule));

    connectAll();

    assertEquals(0, after.stats("m1").activeConnections());
    only(after.send(client, toVip(40_000, ACK)), far);
  }

  @Test
  void synOnAPendingConnectionWhoseRuleTimedOut_startsANewOne() {
    after.addSwitch(1);
    after.timeOut(s1, after.rules(s1, CookieKind.REQUEST).get(0));

    after.send(client, toVip(40_000, SYN));

    assertEquals(0, after.module.reconcileStats().connectionsPending());
    connectAll();
    assertEquals(1, after.stats("m1").totalConnections() + after.stats("m2").totalConnections());
  }

  @Test
  void pendingConnectionWhoseRuleTimedOut_isForgottenIfItCannotBeRecovered() {
    after.addSwitch(1);
    after.timeOut(s1, after.rules(s1, CookieKind.REQUEST).get(0));
    assertEquals(1, after.module.reconcileStats().connectionsPending());

    after.pass(ADOPT_SECONDS);

    assertEquals(0, after.module.reconcileStats().connectionsPending());
    assertTrue(
        only(after.send(client, toVip(40_000, ACK)), client).hasTcpFlags(Packet.TCP_RST),
        "its client is told");
  }

  @Test
  void synOfAPendingConnection_waitsAndStaysOnItsMember() {
    after.addSwitch(1);
    assertEquals(List.of(), after.send(client, toVip(40_000, SYN)));

    after.delivered.clear();
    connectAll();

    after.delivered.removeIf(delivery -> Packet.parse(delivery.frame()).kind() == Packet.Kind.ARP);
    only(after.delivered, far);
    assertEquals(1, after.stats("m1").activeConnections());
    assertEquals(0, after.stats("m1").totalConnections());
  }

  @Test
  void synOfAConnectionThatStaysPending_startsANewOneInTheEnd() {
    after.addSwitch(1);
    Host here = Host.of(s1, 3, "10.0.0.13");
    after.learn(here);
    after.create(
        Catalog.MEMBERS, "id", "m3", "address", "10.0.0.13", "port", "8080", "pool_id", "p");
    int generation = Cookie.generation(after.rules(s1, CookieKind.REQUEST).get(0).cookie());
    assertEquals(List.of(), after.send(client, toVip(40_000, SYN)));

    after.delivered.clear();
    after.pass(3);

    after.delivered.removeIf(delivery -> Packet.parse(delivery.frame()).kind() == Packet.Kind.ARP);
    only(after.delivered, here);
    assertEquals(0, after.module.reconcileStats().connectionsPending());
    assertNotEquals(
        generation, Cookie.generation(after.rules(s1, CookieKind.REQUEST).get(0).cookie()));
  }

  @Test
  void connectionOfAVipThatIsNoMore_losesItsRules() {
    after.delete(Catalog.VIPS, "v");

    connectAll();

    assertEquals(List.of(), rulesOfConnections());
    assertEquals(List.of(), after.table(s1).rules().stream().filter(this::namesTheVip).toList());
    assertEquals(0, after.module.reconcileStats().connectionsPending());
  }

  private boolean namesTheVip(FakeRule rule) {
    return Cookie.is(rule.cookie(), CookieKind.VIP) || Cookie.is(rule.cookie(), CookieKind.END);
  }

  @Test
  void connectionOfAMemberThatIsNoMore_losesItsRules() {
    after.delete(Catalog.MEMBERS, "m1");

    connectAll();

    assertEquals(List.of(), rulesOfConnections());
  }

  @Test
  void memberThatIsDeletedWhileTheConnectionIsPending_takesItAlong() {
    after.addSwitch(1);
    after.addSwitch(3);

    after.delete(Catalog.MEMBERS, "m1");

    assertEquals(0, after.module.reconcileStats().connectionsPending());
    assertEquals(List.of(), rulesOfConnections());
  }

  @Test
  void labelThatNobodyClaims_goesAfterAWhile() {
    before.timeOut(s1, after.rules(s1, CookieKind.REQUEST).get(0));
    List<FakeRule> old = after.rules(s2, CookieKind.LABEL);
    assertEquals(2, old.size());
    connectAll();
    assertTrue(after.rules(s2, CookieKind.LABEL).containsAll(old));

    after.table(s3).rules().stream()
        .filter(rule -> Cookie.is(rule.cookie(), CookieKind.REPLY))
        .forEach(rule -> after.timeOut(s3, rule));
    for (int seconds = 0; seconds <= 3 * ADOPT_SECONDS; seconds += 5) {
      after.pass(5);
    }

    assertTrue(after.rules(s2, CookieKind.LABEL).stream().noneMatch(old::contains));
  }

  @Test
  void replyRuleThatHasGone_isSentAgain() {
    after.table(s3).rules().stream()
        .filter(rule -> Cookie.is(rule.cookie(), CookieKind.REPLY))
        .forEach(rule -> before.timeOut(s3, rule));
    connectAll();
    assertEquals(List.of(), after.send(far, fromMember(40_000)));

    after.pass(PATIENCE_SECONDS);

    assertEquals(1, after.stats("m1").activeConnections());
    assertGoesOn();
  }

  @Test
  void newConnectionAtASwitchThatIsBeingRead_waits() {
    after.holdStatistics();
    connectAll();
    after.delivered.clear();
    assertEquals(List.of(), after.send(client, toVip(40_001, SYN)));
    assertEquals(List.of(), after.send(client, toVip(40_002, ACK)), "not reset either");

    after.releaseStatistics();

    after.delivered.removeIf(delivery -> Packet.parse(delivery.frame()).kind() == Packet.Kind.ARP);
    only(after.delivered, far);
    assertEquals(2, after.stats("m1").activeConnections());
    assertTrue(
        only(after.send(client, toVip(40_002, ACK)), client).hasTcpFlags(Packet.TCP_RST),
        "nobody knows it now");
  }

  @Test
  void switchThatDoesNotTellItsRules_isStartedAfreshAfterAWhile() {
    after.tellNothing();
    connectAll();
    assertEquals(2, rulesOfConnections().size());

    for (int i = 0; i < 4; i++) { // at first, one with groups is asked for those
      after.pass(5);
    }

    assertEquals(List.of(), rulesOfConnections());
    assertEquals(3, after.module.reconcileStats().tablesReset());
    only(after.send(client, toVip(40_001, SYN)), far);
  }

  @Test
  void manyRules_areReadInSlices() {
    after.toldRules = 20_000;

    connectAll();

    long ofRules =
        after.requested.stream()
            .filter(request -> request.getStatsType() != OFStatsType.GROUP_DESC)
            .count();
    assertEquals(3 * (1 + 8), ofRules);
    assertEquals(1, after.module.reconcileStats().connectionsAdopted());
    assertGoesOn();
  }
}
