package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ReconcileStats;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.TableId;

/**
 * What the switches hold is compared with what the controller knows: when a switch comes back, and
 * every minute.
 *
 * <pre>
 *  client 1 --1 s1 2---1 s2 2---1 s3 2-- member 1 (m1)
 *                4               4
 *                 \--1 s4 2-----/
 * </pre>
 */
class ReconcilerTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final DatapathId s3 = net.addSwitch(3);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host far = Host.of(s3, 2, "10.0.0.11");

  ReconcilerTest(SwitchProfile profile) {
    super(profile);
  }

  @BeforeEach
  void openOneConnection() {
    net.link(s1, 2, s2, 1);
    net.link(s2, 2, s3, 1);
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, SYN));
    net.nanoTime.addAndGet(5_000_000_000L);
  }

  private byte[] toVip(int srcPort, int flags) {
    return Frames.tcp(
        client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, 80, flags);
  }

  private byte[] fromMember(int dstPort) {
    return Frames.tcp(far.mac(), client.mac(), far.ip(), 8_080, client.ip(), dstPort, ACK);
  }

  /** Without the controller's questions for hosts that it does not know. */
  private static List<Delivery> butArp(List<Delivery> deliveries) {
    return deliveries.stream()
        .filter(delivery -> Packet.parse(delivery.frame()).kind() != Packet.Kind.ARP)
        .toList();
  }

  private static void only(List<Delivery> deliveries, Host receiver) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(receiver.switchId(), deliveries.get(0).switchId());
    assertEquals(receiver.port(), deliveries.get(0).port().getPortNumber());
  }

  private void assertGoesOn() {
    net.network.setController(
        (switchId, port, output) -> fail(switchId + " missed in table " + output.table()));
    only(net.send(client, toVip(40_000, ACK)), far);
    only(net.send(far, fromMember(40_000)), client);
  }

  private void lose(DatapathId switchId, FakeRule rule) {
    net.table(switchId)
        .apply(
            BalancerNetwork.FACTORY
                .buildFlowDeleteStrict()
                .setTableId(rule.table())
                .setPriority(rule.priority())
                .setMatch(rule.match())
                .build());
  }

  /** Long enough for each switch to have been audited. */
  private void passARound() {
    for (int i = 0; i < 15; i++) {
      net.pass(5);
    }
  }

  @Test
  void switchThatComesBack_keepsItsRulesAndItsConnectionsCount() {
    for (DatapathId id : List.of(s1, s2, s3)) {
      List<FakeRule> rules = List.copyOf(net.table(id).rules());
      net.disconnect(id);
      net.addSwitch(id.getLong());
      assertEquals(rules.size(), net.table(id).rules().size());
    }

    assertEquals(1, net.stats("m1").activeConnections());
    assertEquals(0, net.module.reconcileStats().rulesRemoved());
    assertGoesOn();
  }

  @Test
  void switchThatComesBack_hasTimeToShowItsLinks() {
    net.disconnect(s2);
    net.forgetLinks(s2);

    net.addSwitch(2);
    net.pass(5);
    assertEquals(1, net.stats("m1").activeConnections());
    assertEquals(1, net.rules(s1, CookieKind.REQUEST).size());

    net.pass(5);
    assertEquals(0, net.stats("m1").activeConnections(), "they are broken indeed");
    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
  }

  @Test
  void
      switchThatDoesNotTellItsRulesAnyMore_isNotAskedAgainUntilItReconnects_orTenRoundsHavePassed() {
    net.tellNothing();
    passARound();
    passARound();
    passARound();
    int asked = net.requested.size();

    passARound();

    assertEquals(1, net.stats("m1").activeConnections(), "its rules stay");
    assertEquals(asked, net.requested.size());
    net.disconnect(s2);
    net.addSwitch(2);
    assertEquals(asked + 1, net.requested.size());

    for (int round = 0; round < 10; round++) {
      passARound();
    }
    boolean isAskedForGroups = profile == SwitchProfile.ONE_TABLE_WITH_GROUPS;
    assertEquals(asked + (isAskedForGroups ? 5 : 4), net.requested.size(), "each switch once more");
  }

  @Test
  void switchThatIsBeingReadWhileTheControllerStandsStill_isNotStartedAfresh() {
    net.disconnect(s1);
    net.holdStatistics();
    net.addSwitch(1);
    net.pass(10);
    net.releaseStatistics();

    assertEquals(0, net.module.reconcileStats().tablesReset());
    assertGoesOn();
  }

  @Test
  void requestRuleThatWentWhileItsSwitchWasAway_putsTheConnectionToSleep() {
    net.disconnect(s1);
    lose(s1, net.rules(s1, CookieKind.REQUEST).get(0));

    net.addSwitch(1);

    assertEquals(0, net.stats("m1").activeConnections());
    assertEquals(1, net.module.reconcileStats().connectionsSlept());
    only(net.send(client, toVip(40_000, ACK)), far);
    assertEquals(1, net.stats("m1").activeConnections());
  }

  @Test
  void replyRuleThatWentWhileItsSwitchWasAway_isSentAgain() {
    net.disconnect(s3);
    lose(s3, net.rules(s3, CookieKind.REPLY).get(0));

    net.addSwitch(3);

    assertEquals(1, net.module.reconcileStats().connectionsRestored());
    assertGoesOn();
  }

  @Test
  void labelRulesThatWentWhileTheirSwitchWasAway_areSentAgain() {
    net.disconnect(s2);
    net.table(s2).apply(BalancerNetwork.FACTORY.buildFlowDelete().setTableId(TableId.ALL).build());

    net.addSwitch(2);

    assertGoesOn();
  }

  @Test
  void ruleOfALabelThatWasTakenAwayWhileItsSwitchWasAway_goesAtOnce() {
    net.disconnect(s2);
    net.delete(Catalog.MEMBERS, "m1");
    net.pass(40);
    assertNotEquals(List.of(), net.rules(s2, CookieKind.LABEL));

    net.addSwitch(2);

    assertEquals(List.of(), net.rules(s2, CookieKind.LABEL));
  }

  @Test
  void ruleOfAConnectionThatEndedWhileItsSwitchWasAway_goes() {
    net.disconnect(s1);
    net.disconnect(s3);
    net.delete(Catalog.MEMBERS, "m1");

    net.addSwitch(1);
    net.addSwitch(3);

    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
    assertEquals(List.of(), net.rules(s3, CookieKind.REPLY));
    assertEquals(2, net.module.reconcileStats().rulesRemoved());
  }

  @Test
  void vipThatWasDeletedWhileASwitchWasAway_leavesNoRuleThere() {
    net.disconnect(s2);
    net.delete(io.malob.state.catalog.Catalog.VIPS, "v");

    net.addSwitch(2);

    assertEquals(List.of(), net.rules(s2, CookieKind.VIP));
    assertEquals(List.of(), net.rules(s2, CookieKind.END));
  }

  @Test
  void pathThatWasRepairedWhileASwitchWasAway_leavesNoRuleThere() {
    DatapathId s4 = net.addSwitch(4);
    net.link(s1, 4, s4, 1);
    net.link(s4, 2, s3, 4);
    net.disconnect(s2);
    net.unlink(s1, 2);
    net.pass(5);
    assertEquals(2, net.rules(s2, CookieKind.LABEL).size(), "the switch was away");

    net.addSwitch(2);

    assertEquals(List.of(), net.rules(s2, CookieKind.LABEL));
    assertGoesOn();
  }

  @Test
  void lostNoticeOfATimeOut_isMadeUpForByTheNextRound() {
    lose(s1, net.rules(s1, CookieKind.REQUEST).get(0));
    assertEquals(1, net.stats("m1").activeConnections());

    passARound();

    assertEquals(0, net.stats("m1").activeConnections());
    assertEquals(1, net.module.reconcileStats().connectionsSlept());
  }

  @Test
  void ruleThatBelongsToNothing_goesWithTheNextRound() {
    FakeRule rule = net.rules(s1, CookieKind.REQUEST).get(0);
    Host farToo = Host.of(s3, 3, "10.0.0.12");
    net.learn(farToo);
    net.create(
        Catalog.MEMBERS,
        "id",
        "m2",
        "address",
        farToo.ip().toString(),
        "port",
        "80",
        "pool_id",
        "p");
    net.delete(Catalog.MEMBERS, "m1");
    net.send(client, toVip(40_001, SYN));
    List<FakeRule> other = net.rules(s1, CookieKind.REQUEST); // keeps the labels in use
    net.table(s1)
        .apply(
            BalancerNetwork.FACTORY
                .buildFlowAdd()
                .setTableId(rule.table())
                .setPriority(rule.priority())
                .setCookie(rule.cookie())
                .setMatch(rule.match())
                .setInstructions(rule.instructions())
                .build());

    passARound();

    assertEquals(other, net.rules(s1, CookieKind.REQUEST));
    assertEquals(1, net.module.reconcileStats().rulesRemoved());
  }

  @Test
  void labelRuleThatIsLost_isSentAgainWithTheNextRound() {
    lose(s2, net.rules(s2, CookieKind.LABEL).get(0));

    passARound();

    assertEquals(2, net.rules(s2, CookieKind.LABEL).size());
    assertGoesOn();
  }

  @Test
  void roundOverAnIntactNetwork_changesNothing() {
    List<FakeRule> rules =
        List.of(s1, s2, s3).stream().flatMap(id -> net.table(id).rules().stream()).toList();

    passARound();

    assertEquals(
        rules, List.of(s1, s2, s3).stream().flatMap(id -> net.table(id).rules().stream()).toList());
    assertEquals(new ReconcileStats(6, 0, 0, 0, 0, 0, 0), net.module.reconcileStats());
  }

  @Test
  void connectionThatStartsWhileASwitchIsBeingRead_isLeftAlone() {
    net.pass(55);
    net.holdStatistics();
    net.pass(5);
    net.send(client, toVip(40_001, SYN));

    net.releaseStatistics();

    assertEquals(2, net.stats("m1").activeConnections());
    assertEquals(0, net.module.reconcileStats().connectionsSlept());
  }

  @Test
  void labelThatIsMadeWhileASwitchIsBeingRead_isLeftAlone() {
    Host near = Host.of(s2, 3, "10.0.0.12");
    net.learn(client);
    List<FakeRule> before = net.rules(s1, CookieKind.LABEL);
    net.pass(55);
    net.holdStatistics();
    net.pass(5);
    net.create(
        Catalog.MEMBERS, "id", "m2", "address", near.ip().toString(), "port", "80", "pool_id", "p");
    net.learn(near);
    List<FakeRule> labels = net.rules(s1, CookieKind.LABEL);
    assertEquals(before.size() + 2, labels.size());

    net.releaseStatistics();

    assertEquals(labels, net.rules(s1, CookieKind.LABEL));
    assertEquals(0, net.module.reconcileStats().rulesRemoved());
  }

  @Test
  void packetOfASleepingConnectionWhileItsSwitchIsBeingRead_isNotReset() {
    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));
    net.disconnect(s1);
    net.holdStatistics();
    net.addSwitch(1);

    assertEquals(List.of(), net.send(client, toVip(40_000, ACK)));

    net.releaseStatistics();
    only(net.send(client, toVip(40_000, ACK)), far);
    assertEquals(1, net.stats("m1").activeConnections());
  }

  @Test
  void dormantConnectionThatIsReactivatedWithoutAPath_isNotReset() {
    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));
    net.learnBreak(s2, 2);

    assertEquals(List.of(), net.send(client, toVip(40_000, ACK)));

    net.learnLink(s2, 2, s3, 1);
    only(net.send(client, toVip(40_000, ACK)), far);
    assertEquals(1, net.stats("m1").activeConnections());
  }

  /** The usual way breaks while the switch of the only other one is away. */
  private DatapathId breakWhileOtherWayIsAway() {
    DatapathId s4 = net.addSwitch(4);
    net.link(s1, 4, s4, 1);
    net.link(s4, 2, s3, 4);
    net.disconnect(s4);
    net.forgetLinks(s4);
    net.learnBreak(s2, 2);
    return s4;
  }

  private void otherWayIsBack(DatapathId s4) {
    net.addSwitch(4);
    net.learnLink(s1, 4, s4, 1);
    net.learnLink(s4, 2, s3, 4);
  }

  @Test
  void linkThatBreaksWhileASwitchIsAway_endsNoConnection_asThatMayBeTheOtherWay() {
    DatapathId s4 = breakWhileOtherWayIsAway();
    net.pass(20);
    assertEquals(1, net.stats("m1").activeConnections());

    otherWayIsBack(s4);

    only(net.send(client, toVip(40_000, ACK)), far);
    assertEquals(1, net.stats("m1").activeConnections());
  }

  @Test
  void linkThatBreaksWhileASwitchIsAway_endsConnections_ifThatStaysAway() {
    breakWhileOtherWayIsAway();

    net.pass(40);

    assertEquals(0, net.stats("m1").activeConnections());
  }

  @Test
  void newConnectionWhileASwitchIsAwayOverWhichAWayMayBe_isAnsweredByNobodyUntilThen() {
    DatapathId s4 = breakWhileOtherWayIsAway();
    assertEquals(List.of(), net.send(client, toVip(40_001, SYN)));
    net.delivered.clear();
    net.pass(5);
    assertEquals(
        0,
        net.delivered.stream()
            .filter(out -> Packet.parse(out.frame()).kind() == Packet.Kind.TCP)
            .count(),
        "no reset either");

    otherWayIsBack(s4);

    only(net.send(client, toVip(40_001, SYN)), far);
  }

  @Test
  void newConnectionWhileTheOnlyMembersOwnSwitchIsAway_waitsForThatSwitch() {
    net.disconnect(s3);
    net.forgetLinks(s3);
    net.forget(far);
    List<Delivery> sent = new ArrayList<>(net.send(client, toVip(40_001, SYN)));
    net.pass(5);
    sent.addAll(net.delivered);
    assertEquals(List.of(), butArp(sent), "no reset either");
    net.delivered.clear();

    net.addSwitch(3);
    net.learnLink(s2, 2, s3, 1);
    net.learn(far);

    only(net.send(client, toVip(40_001, SYN)), far);
  }

  @Test
  void moreNewConnectionsThanCanWaitForASwitch_areNotReset() {
    net.disconnect(s3);
    net.forgetLinks(s3);
    net.forget(far);
    List<Delivery> sent = new ArrayList<>();

    for (int port = 40_001; port < 40_601; port++) {
      sent.addAll(net.send(client, toVip(port, SYN)));
    }

    assertEquals(List.of(), butArp(sent));
    assertNotEquals(0, net.refused(RejectReason.QUEUE_FULL));
  }

  @Test
  void newConnectionWhenTheOnlyMembersOwnSwitchStaysAway_isRefused() {
    net.disconnect(s3);
    net.forgetLinks(s3);
    net.forget(far);
    net.pass(40);
    net.delivered.clear();

    net.send(client, toVip(40_001, SYN));
    net.pass(5);

    only(butArp(net.delivered), client);
  }

  @Test
  void ruleOfAClosedConnection_isLeftToEndByItself() {
    net.delete(Catalog.MEMBERS, "m1");
    List<FakeRule> closed = net.rules(s3, CookieKind.CLOSED);
    assertEquals(1, closed.size());

    passARound();

    assertEquals(closed, net.rules(s3, CookieKind.CLOSED));
  }

  @Test
  void ruleOfOthers_isLeftAlone() {
    FakeRule rule = net.rules(s1, CookieKind.REQUEST).get(0);
    net.table(s1)
        .apply(
            BalancerNetwork.FACTORY.buildFlowAdd().setTableId(rule.table()).setPriority(7).build());
    int count = net.table(s1).rules().size();

    net.disconnect(s1);
    net.addSwitch(1);
    passARound();

    assertEquals(count, net.table(s1).rules().size());
  }
}
