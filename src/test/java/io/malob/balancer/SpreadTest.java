package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.QuotedPacket;
import io.malob.openflow.packet.Replies;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * Two controllers with switches of their own: paths lead over switches of both.
 *
 * <pre>
 *  client --1 s1 2---1 s2 2---1 s3 2-- member 1 (m1)
 *             a       b       b  3-- member 2 (m2)
 * </pre>
 */
class SpreadTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;

  private final ControllerPair pair = pair(Map.of(), true);
  private final BalancerNetwork a = pair.a;
  private final BalancerNetwork b = pair.b;
  private final DatapathId s1 = pair.addSwitch(1);
  private final DatapathId s2 = pair.addSwitchOfB(2);
  private final DatapathId s3 = pair.addSwitchOfB(3);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host m1 = Host.of(s3, 2, "10.0.0.11");
  private final Host m2 = Host.of(s3, 3, "10.0.0.12");

  SpreadTest(SwitchProfile profile) {
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
    pair.pass(1); // the topology has the switches of both
  }

  private byte[] toVip(int srcPort, int flags) {
    return Frames.tcp(
        client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, 80, flags);
  }

  private byte[] fromMember(Host member, int dstPort) {
    return Frames.tcp(member.mac(), client.mac(), member.ip(), 8_080, client.ip(), dstPort, ACK);
  }

  private static void assertDelivered(List<Delivery> deliveries, Host receiver) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(receiver.switchId(), deliveries.get(0).switchId());
    assertEquals(receiver.port(), deliveries.get(0).port().getPortNumber());
  }

  private static int open(BalancerNetwork controller) {
    return controller.module.counters().openConnections();
  }

  @Test
  void placement_writesTheRulesOfTheOtherMastersSwitches_throughThatMaster() {
    assertDelivered(a.send(client, toVip(40_000, SYN)), m1);
    assertEquals(1, a.rules(s1, CookieKind.REQUEST).size());
    assertEquals(1, a.rules(s3, CookieKind.REPLY).size());
    assertTrue(a.rules(s2, CookieKind.LABEL).size() >= 2, "both directions cross s2");

    a.network.setController(
        (at, port, output) -> {
          throw new AssertionError("missed at " + at);
        });
    assertDelivered(a.send(client, toVip(40_000, ACK)), m1);
    assertDelivered(a.send(m1, fromMember(m1, 40_000)), client);
  }

  @Test
  void replyOfADormantConnection_whoseLabelIsLost_isDelivered_andOpensNothingElsewhere() {
    assertDelivered(a.send(client, toVip(40_000, SYN)), m1);
    assertDelivered(a.send(client, toVip(40_000, ACK)), m1);
    a.timeOut(s1, a.rules(s1, CookieKind.REQUEST).get(0));
    pair.talk();
    assertEquals(0, open(a));
    assertEquals(1, b.module.counters().dormantConnections());

    a.rules(s3, CookieKind.LABEL).forEach(a.table(s3)::remove);
    assertDelivered(a.send(m1, fromMember(m1, 40_000)), client);

    pair.talk();
    assertEquals(0, open(b), "its client's switch is another controller's");
  }

  @Test
  void replyWithoutARule_isHandledByTheOwner() {
    assertDelivered(a.send(client, toVip(40_000, SYN)), m1);
    pair.talk();
    assertEquals(1, open(b), "known from its owner");
    pair.pass(2); // the rules could be in effect by now
    b.timeOut(s3, a.rules(s3, CookieKind.REPLY).get(0));
    assertEquals(List.of(), a.rules(s3, CookieKind.REPLY));

    assertDelivered(a.send(m1, fromMember(m1, 40_000)), client);

    assertEquals(1, a.rules(s3, CookieKind.REPLY).size(), "the owner has sent it again");
    assertEquals(1, open(a));
  }

  @Test
  void replyForAnOwnerThatIsNotReached_isDroppedAndCounted() {
    assertDelivered(a.send(client, toVip(40_000, SYN)), m1);
    pair.talk();
    pair.part();
    b.timeOut(s3, a.rules(s3, CookieKind.REPLY).get(0));
    assertEquals(List.of(), a.send(m1, fromMember(m1, 40_000)));
    assertEquals(1, b.refused(RejectReason.OWNER_NOT_REACHED));
    assertEquals(List.of(), b.passedOn);
  }

  /** The master of the client's switch owns the connection, as soon as it knows of it again. */
  @Test
  void replyThatNoRecordTellsOf_isDeliveredByTheMasterOfTheClientsSwitch() {
    pair.learn(client);
    assertDelivered(fromVip(a.send(m1, fromMember(m1, 40_000))), client);
    assertEquals(List.of(), b.passedOn);

    assertDelivered(a.send(client, toVip(40_000, ACK)), m1);
    assertEquals(1, open(a));
    assertEquals(0, b.refused(RejectReason.OWNER_NOT_REACHED));
  }

  @Test
  void replyThatNoRecordTellsOf_isDropped_ifTheMasterOfTheClientsSwitchIsNotReached() {
    pair.learn(client);
    pair.part();

    assertEquals(List.of(), a.send(m1, fromMember(m1, 40_000)));
    assertEquals(1, b.refused(RejectReason.OWNER_NOT_REACHED));
    assertEquals(List.of(), b.passedOn);
  }

  @Test
  void connectionToTheServerItself_isLeftToOthersByBoth() {
    pair.learn(client);
    a.send(client, toServer(SYN));
    a.send(m1, fromMember(m1, 40_000));

    assertEquals(1, a.passedOn.size());
    assertEquals(1, b.passedOn.size());
  }

  @Test
  void connectionToTheServerItself_fromBeforeARestart_isFoundOut() {
    pair.learn(client);
    a.send(m1, fromMember(m1, 40_000));
    assertEquals(List.of(), b.passedOn, "it may be the VIP's");
    assertEquals(List.of(), a.send(client, toVip(40_000, Packet.TCP_RST)));
    a.send(m1, fromMember(m1, 40_000));

    assertEquals(1, b.passedOn.size());
  }

  private byte[] toServer(int flags) {
    return Frames.tcp(client.mac(), m1.mac(), client.ip(), 40_000, m1.ip(), 8_080, flags);
  }

  private static List<Delivery> fromVip(List<Delivery> deliveries) {
    assertEquals(VIP, Packet.parse(deliveries.get(0).frame()).source());
    return deliveries;
  }

  @Test
  void icmpErrors_atTheOtherMastersSwitches_areTranslatedByTheOwner() {
    byte[] atMember = a.send(client, toVip(40_000, SYN)).get(0).frame();
    byte[] atClient = a.send(m1, fromMember(m1, 40_000)).get(0).frame();
    pair.talk();

    List<Delivery> toClient = a.send(m1, Replies.portUnreachable(Packet.parse(atMember)));
    Host router = Host.of(s2, 3, "10.0.0.254");
    List<Delivery> toMember = a.send(router, Replies.portUnreachable(Packet.parse(atClient)));

    assertDelivered(toClient, client);
    assertEquals(VIP, quotedBy(toClient).destination());
    assertDelivered(toMember, m1);
    assertEquals(m1.ip(), quotedBy(toMember).source());
    assertEquals(List.of(), b.passedOn);
  }

  @Test
  void icmpErrorForAnOwnerThatIsNotReached_isDroppedAndCounted() {
    byte[] atMember = a.send(client, toVip(40_000, SYN)).get(0).frame();
    pair.talk();
    pair.part();
    assertEquals(List.of(), a.send(m1, Replies.portUnreachable(Packet.parse(atMember))));
    assertEquals(1, b.refused(RejectReason.OWNER_NOT_REACHED));
    assertEquals(List.of(), b.passedOn);
  }

  /** Its connections are another controller's, but the error is about none of them. */
  @Test
  void otherIcmpErrorOfAMember_besideAPing_isLeftToOthers() {
    for (BalancerNetwork each : List.of(a, b)) {
      each.create(Catalog.VIPS, "id", "ping", "protocol", "icmp", "address", "10.0.0.100");
      each.create(Catalog.POOLS, "id", "pp", "vip_id", "ping");
      each.create(Catalog.MEMBERS, "id", "p1", "address", m1.ip().toString(), "pool_id", "pp");
    }
    pair.talk();
    assertDelivered(
        a.send(
            client,
            Frames.echoRequest(client.mac(), EdgeMac.of(client.switchId()), client.ip(), VIP)),
        m1);
    pair.talk();
    byte[] direct = Frames.udp(client.mac(), m1.mac(), client.ip(), 9, m1.ip(), 9, new byte[8]);

    assertEquals(List.of(), a.send(m1, Replies.portUnreachable(Packet.parse(direct))));

    assertEquals(1, b.passedOn.size());
  }

  private static QuotedPacket quotedBy(List<Delivery> deliveries) {
    return QuotedPacket.of(Packet.parse(deliveries.get(0).frame())).orElseThrow();
  }

  @Test
  void refusedRuleOfTheOtherMastersSwitch_cutsTheOwnersConnectionOff() {
    assertDelivered(a.send(client, toVip(40_000, SYN)), m1);
    b.refuse(CookieKind.REPLY, true);
    a.send(client, toVip(40_001, SYN));
    assertEquals(1, a.refused(RejectReason.RULE_REFUSED));
    assertEquals(0, b.refused(RejectReason.RULE_REFUSED));
    assertEquals(1, open(a));
  }

  private byte[] ftp(int srcPort, int flags) {
    IPv4Address vip = IPv4Address.of("10.0.0.101");
    return Frames.tcp(
        client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, vip, 21, flags);
  }

  private List<Delivery> openFtpData(int dstPort) {
    return a.send(m1, Frames.tcp(m1.mac(), client.mac(), m1.ip(), 20, client.ip(), dstPort, SYN));
  }

  private void ftpService() {
    for (BalancerNetwork each : List.of(a, b)) {
      each.create(Catalog.VIPS, "id", "f", "address", "10.0.0.101");
      each.create(Catalog.POOLS, "id", "q", "vip_id", "f");
      each.create(Catalog.MEMBERS, "id", "f1", "address", m1.ip().toString(), "pool_id", "q");
    }
    pair.talk();
  }

  @Test
  void activeFtp_connectsTheMemberToTheOwnersClient() {
    ftpService();
    assertDelivered(a.send(client, ftp(40_000, SYN)), m1);
    pair.talk();

    List<Delivery> data = openFtpData(40_001);

    assertDelivered(data, client);
    assertEquals(
        IPv4Address.of("10.0.0.101").getInt(), Packet.parse(data.get(0).frame()).srcAddress());
    assertEquals(2, open(a));
    pair.talk();
    assertEquals(2, open(b));
    assertEquals(2, a.stats("f1").activeConnections());
  }

  @Test
  void ruleForFtpData_staysWhenTheControlConnectionIsToldAgain() {
    ftpService();
    assertDelivered(a.send(client, ftp(40_000, SYN)), m1);
    pair.talk();
    assertEquals(1, ftpDataRules());
    pair.part();
    pair.meet();
    pair.talk();

    assertEquals(1, open(b));
    assertEquals(1, ftpDataRules());
  }

  private long ftpDataRules() {
    return a.rules(s3, CookieKind.FTP_DATA).size();
  }

  @Test
  void activeFtp_afterTheControlConnection_isNotForwarded() {
    assumeEndsAreTold();
    ftpService();
    assertDelivered(a.send(client, ftp(40_000, SYN)), m1);
    pair.talk();
    assertDelivered(a.send(client, ftp(40_000, Packet.TCP_RST)), m1);
    pair.talk();

    assertEquals(List.of(), openFtpData(40_001));

    assertEquals(1, open(a));
    assertEquals(0, a.refused(RejectReason.OWNER_NOT_REACHED));
  }

  /** The client is at another port now. */
  private Host move(Host host, DatapathId to, int port) {
    return new Host(to, port, host.mac(), host.ip());
  }

  @Test
  void clientThatMovesToTheOtherControllersSwitch_isFollowed() {
    assertDelivered(a.send(client, toVip(40_000, SYN)), m1);
    pair.talk();
    pair.pass(2); // the rules could be in effect by now
    Host moved = move(client, s3, 4);

    assertDelivered(a.send(moved, toVip(40_000, ACK)), m1);
    pair.talk();

    assertEquals(List.of(), a.rules(s1, CookieKind.REQUEST));
    assertEquals(1, a.rules(s3, CookieKind.REQUEST).size());
    assertDelivered(a.send(m1, fromMember(m1, 40_000)), moved);
    assertEquals(1, open(a));
    assertEquals(1, open(b));
    assertEquals(1, a.stats("m1").activeConnections());
    pair.pass(200);
    assertEquals(1, a.rules(s3, CookieKind.REQUEST).size(), "audits leave it alone");
    assertDelivered(a.send(moved, toVip(40_000, ACK)), m1);

    b.timeOut(s3, a.rules(s3, CookieKind.REQUEST).get(0));
    pair.talk();

    assertEquals(0, open(b), "its end is known to the new owner");
    assertEquals(0, open(a));
  }

  @Test
  void clientThatMovesInSilence_isFollowed() {
    pair.learn(client);
    assertDelivered(a.send(client, toVip(40_000, SYN)), m1);
    pair.talk();
    Host moved = move(client, s3, 4);
    pair.learn(moved);
    pair.pass(1);

    assertEquals(List.of(), a.rules(s1, CookieKind.REQUEST));
    assertDelivered(a.send(m1, fromMember(m1, 40_000)), moved);
    assertEquals(1, open(a));
    assertEquals(1, open(b));
  }

  @Test
  void clientThatMovesThereAndBack_isFollowed() {
    assertDelivered(a.send(client, toVip(40_000, SYN)), m1);
    pair.talk();
    pair.pass(2);
    Host moved = move(client, s3, 4);
    assertDelivered(a.send(moved, toVip(40_000, ACK)), m1);
    pair.talk();
    pair.pass(2);

    assertDelivered(a.send(client, toVip(40_000, ACK)), m1);
    pair.talk();

    assertEquals(1, a.rules(s1, CookieKind.REQUEST).size());
    assertEquals(List.of(), a.rules(s3, CookieKind.REQUEST));
    assertDelivered(a.send(m1, fromMember(m1, 40_000)), client);
    assertEquals(1, open(a));
    assertEquals(1, open(b));
  }

  @Test
  void hostWithTheClientsAddress_atTheOtherControllersSwitch_isNotTheClient() {
    a.learn(client);
    b.learn(client);
    assertDelivered(a.send(client, toVip(40_000, SYN)), m1);
    pair.talk();
    pair.pass(2);
    Host forger = new Host(s3, 4, MacAddress.of("02:00:00:00:99:99"), client.ip());
    List<Delivery> unused =
        a.send(
            forger,
            Frames.tcp(
                forger.mac(), EdgeMac.of(forger.switchId()), client.ip(), 40_000, VIP, 80, ACK));

    assertEquals(1, a.rules(s1, CookieKind.REQUEST).size());
    assertEquals(List.of(), a.rules(s3, CookieKind.REQUEST));
    assertDelivered(a.send(m1, fromMember(m1, 40_000)), client);
  }

  @Test
  void proactiveVip_isReactive() {
    for (BalancerNetwork each : List.of(a, b)) {
      each.create(
          Catalog.VIPS,
          "id",
          "x",
          "protocol",
          "tcp",
          "address",
          "10.0.0.102",
          "port",
          "443",
          "placement",
          "proactive");
      each.create(Catalog.POOLS, "id", "r", "vip_id", "x");
      each.create(
          Catalog.MEMBERS,
          "id",
          "x1",
          "address",
          m1.ip().toString(),
          "port",
          "443",
          "pool_id",
          "r");
    }
    pair.learn(client);
    pair.pass(3);
    IPv4Address vip = IPv4Address.of("10.0.0.102");

    assertDelivered(
        a.send(
            client,
            Frames.tcp(
                client.mac(), EdgeMac.of(client.switchId()), client.ip(), 40_000, vip, 443, SYN)),
        m1);

    assertEquals(1, open(a));
    for (DatapathId each : List.of(s1, s3)) {
      assertEquals(List.of(), a.rules(each, CookieKind.BUCKET));
      assertEquals(List.of(), a.rules(each, CookieKind.PROACTIVE));
    }
    assertEquals(ProactiveStats.State.REACTIVE, a.module.proactive().get(0).state());
  }

  @Test
  void audits_leaveTheOtherControllersRulesAlone() {
    assertDelivered(a.send(client, toVip(40_000, SYN)), m1);
    List<FakeRule> before =
        List.of(s1, s2, s3).stream().flatMap(id -> a.table(id).rules().stream()).toList();
    pair.pass(200);
    List<FakeRule> after =
        List.of(s1, s2, s3).stream().flatMap(id -> a.table(id).rules().stream()).toList();
    assertTrue(after.containsAll(before), () -> "lost: " + minus(before, after));
    assertEquals(0, b.module.reconcileStats().rulesRemoved());
    assertEquals(0, a.module.reconcileStats().rulesRemoved());
  }

  private static List<FakeRule> minus(List<FakeRule> all, List<FakeRule> without) {
    return all.stream().filter(rule -> !without.contains(rule)).toList();
  }

  @Test
  void withoutTheOtherController_pathsOverItsSwitchesAreNotUsed() {
    pair.part();
    pair.pass(1);
    a.send(client, toVip(40_000, SYN));
    assertEquals(0, open(a));
    pair.meet();
    pair.pass(1);
    assertEquals(1, a.send(client, toVip(40_001, SYN)).size());
    assertEquals(1, open(a));
  }

  /** It was killed between its messages for the two switches. */
  @Test
  void replyRuleOfAMasterThatHasCrashed_withoutARequestRule_isRemovedAtOnce() {
    a.send(client, toVip(40_000, SYN));
    FakeRule request = a.rules(s1, CookieKind.REQUEST).get(0);
    a.table(s1).remove(request);
    assertEquals(1, a.rules(s3, CookieKind.REPLY).size());

    pair.kill();
    pair.takeOver();
    pair.pass(2);

    assertEquals(0, open(b));
    assertEquals(List.of(), b.rules(s3, CookieKind.REPLY));
  }

  @Test
  void switchWhoseMasterHasCrashed_isTakenOverWithItsConnections() {
    assertDelivered(a.send(client, toVip(40_000, SYN)), m1);
    pair.talk();
    pair.kill();
    pair.takeOver();
    pair.pass(1);
    assertEquals(1, open(b));
    assertDelivered(b.send(client, toVip(40_000, ACK)), m1);
    assertDelivered(b.send(m1, fromMember(m1, 40_000)), client);
    assertEquals(s3, b.send(client, toVip(40_001, SYN)).get(0).switchId());
    assertEquals(2, open(b));
    assertFalse(a.rules(s1, CookieKind.REQUEST).size() < 2);
  }
}
