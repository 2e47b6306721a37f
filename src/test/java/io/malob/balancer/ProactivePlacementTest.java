package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.FIN;
import static io.malob.balancer.ProactiveFixture.MOVE_SECONDS;
import static io.malob.balancer.ProactiveFixture.RST;
import static io.malob.balancer.ProactiveFixture.SYN;
import static io.malob.balancer.ProactiveFixture.SYN_ACK;
import static io.malob.balancer.ProactiveFixture.VIP;
import static io.malob.balancer.ProactiveFixture.assertReaches;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.health.Health;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.LinkStats;
import io.malob.balancer.api.ProactiveStats;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.TableLayout;
import io.malob.openflow.bucket.BucketCookie;
import io.malob.openflow.bucket.BucketSource;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.EachSwitchProfile;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowModCommand;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/** A proactive VIP from its first rule to its last, while members and paths change. */
@EachSwitchProfile
class ProactivePlacementTest {
  private final SwitchProfile profile;
  private static final int PIN_SECONDS = 600;

  private final ProactiveFixture fixture;
  private final BalancerNetwork net;
  private final Host client;
  private final Host m1;
  private final Host m2;

  ProactivePlacementTest(SwitchProfile profile) {
    this.profile = profile;
    fixture = fixture(Map.of());
    net = fixture.net;
    client = fixture.client;
    m1 = fixture.m1;
    m2 = fixture.m2;
  }

  @AfterEach
  void assertNothingRefused() {
    assertEquals(List.of(), net.network.refusals());
  }

  private ProactiveFixture fixture(Map<String, String> settings, String... vipFields) {
    return new ProactiveFixture(new BalancerNetwork(profile, settings), vipFields);
  }

  private Map<Integer, Host> openAll() {
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.open(client, port)));
    return members;
  }

  /** In one table, no rules lead to buckets. */
  private int inFourTables(int rules) {
    return profile.layout() == TableLayout.FOUR_TABLES ? rules : 0;
  }

  private List<FakeRule> toBuckets() {
    return net.rules(fixture.s1, 0).stream()
        .filter(rule -> rule.priority() == FlowLayout.PRIORITY_TO_BUCKETS)
        .toList();
  }

  /** Both members have weight 1. */
  @Test
  void connections_reachTheirMembersWithoutTheController() {
    fixture.settle();
    fixture.withoutController();

    Map<Integer, Host> members = openAll();

    assertEquals(32, members.values().stream().filter(m1::equals).count());
    assertEquals(32, members.values().stream().filter(m2::equals).count());
    assertEquals(ProactiveStats.State.PROACTIVE, fixture.stats().state());
    assertEquals(64, fixture.edge(fixture.s1).orElseThrow().buckets());
    assertEquals(Optional.of("port"), fixture.edge(fixture.s1).orElseThrow().source());
    assertEquals(0, net.module.counters().openConnections());
  }

  @Test
  void clientsOnTheNetwork_getTheirArpAnswerFromTheirSwitch() {
    fixture.settle();
    fixture.withoutController();

    List<Delivery> answer = fixture.askForVip(client);

    assertReaches(client, answer);
    Packet arp = Packet.parse(answer.get(0).frame());
    assertEquals(Packet.ARP_REPLY, arp.arpOperation());
    assertEquals(VIP.getInt(), arp.srcAddress());
    assertEquals(EdgeMac.of(client.switchId()), arp.arpSenderMac());
    assertEquals(client.ip().getInt(), arp.dstAddress());
  }

  @Test
  void membersSidesThatAreNotConfirmed_keepBucketsBack() {
    net.holdBarriers();
    fixture.settle();

    assertEquals(List.of(), fixture.buckets(fixture.s1));
    assertEquals(List.of(), toBuckets());
    assertFalse(fixture.rules(fixture.s3, CookieKind.PROACTIVE).isEmpty());
    assertEquals(ProactiveStats.State.CHANGING, fixture.stats().state());

    net.releaseBarriers();
    fixture.pass(4);

    assertEquals(64, fixture.buckets(fixture.s1).size());
    assertEquals(inFourTables(1), toBuckets().size());
  }

  @Test
  void clientsOfARouter_areServedWithoutAController_andHaveNoRulesOfTheirOwn() {
    fixture.settle();
    Host router = fixture.router(fixture.s1, 4);
    fixture.askForVip(router);
    fixture.pass(2);
    int rules = fixture.rules();
    fixture.withoutController();

    for (int i = 0; i < 200; i++) {
      fixture.open(fixture.behind(router, i), 50_000 + i);
    }

    assertEquals(rules, fixture.rules());
  }

  /** The VIP is in no subnet of the router, which asks for its next hop instead. */
  @Test
  void routerThatAsksForTheBalancersOwnAddress_reachesTheVipWithoutAController() {
    ProactiveFixture routed = fixture(Map.of("selfAddresses", "10.0.0.200/24, fd00::200/64"));
    routed.settle();
    Host router = routed.router(routed.s1, 4);
    IPv4Address self = IPv4Address.of("10.0.0.200");
    byte[] question = Frames.arpRequest(router.mac(), router.ip(), self);
    routed.net.send(router, question);
    routed.pass(2);
    int rules = routed.rules();
    routed.withoutController();

    List<Delivery> answer = routed.net.send(router, question);
    assertReaches(router, answer);
    assertEquals(self.getInt(), Packet.parse(answer.get(0).frame()).srcAddress());
    for (int i = 0; i < 20; i++) {
      routed.open(routed.behind(router, i), 50_000 + i);
    }
    assertEquals(rules, routed.rules());
  }

  @Test
  void routerThatTheMembersHaveChosen_getsTheFirstReplyByTheController_andTheNextByRules() {
    fixture.settle();
    Host router = fixture.router(fixture.s1, 4);

    fixture.open(fixture.behind(router, 1), 50_000);
    fixture.pass(1);
    fixture.withoutController();

    fixture.open(fixture.behind(router, 2), 50_000);
  }

  @Test
  void replyToANextHopThatNobodyKnows_isDropped() {
    fixture.settle();
    Host stranger =
        Host.of(fixture.s1, 4, fixture.behind(fixture.client, 118).address().toString());
    Host member = fixture.memberOf(stranger, 50_000, SYN);
    assertEquals(List.of(), fixture.reply(member, stranger, 50_000, SYN_ACK));
  }

  @Test
  void drainedMember_keepsEstablishedConnectionsAndGetsNoNewOnes() {
    fixture.settle();
    Map<Integer, Host> members = openAll();
    fixture.pass(2);

    fixture.setMember("m1", "weight", "0");
    fixture.pass(2);

    assertEquals(32, fixture.moving(fixture.s1));
    for (int port : ALL_BUCKETS) {
      assertEquals(members.get(port), fixture.memberOf(client, port, ACK));
      assertEquals(m2, fixture.open(client, port + 1));
    }
    fixture.pass(MOVE_SECONDS + 1);

    assertEquals(Map.of(fixture.number("m2"), 64L), fixture.byMember(fixture.s1));
    assertEquals(0, fixture.moving(fixture.s1));
    fixture.withoutController();
    for (int port : ALL_BUCKETS) {
      assertEquals(members.get(port), fixture.memberOf(client, port, ACK));
      fixture.assertAnswered(members.get(port), client, port, ACK);
      assertEquals(m2, fixture.memberOf(client, port + 1, ACK));
      assertEquals(m2, fixture.memberOf(fixture.other, port, SYN));
    }
  }

  @Test
  void vipThatIsDown_keepsEstablishedConnectionsAndRefusesNewOnes_untilItIsUp() {
    assertRefusesWhile(
        () -> fixture.setVip("admin_state", "down"), () -> fixture.setVip("admin_state", "up"));
  }

  @Test
  void poolWhoseMembersAreAllDrained_keepsEstablishedConnectionsAndRefusesNewOnes() {
    assertRefusesWhile(() -> setWeights("0"), () -> setWeights("1"));
  }

  private void setWeights(String weight) {
    fixture.setMember("m1", "weight", weight);
    fixture.setMember("m2", "weight", weight);
  }

  private void assertRefusesWhile(Runnable out, Runnable backIn) {
    fixture.settle();
    Map<Integer, Host> members = openAll();
    fixture.pass(2);

    out.run();
    fixture.pass(2);

    for (int round = 0; round < 2; round++) {
      for (int port : ALL_BUCKETS) {
        assertEquals(members.get(port), fixture.memberOf(client, port, ACK));
        fixture.assertAnswered(members.get(port), client, port, ACK);
        fixture.assertReset(fixture.send(client, port + 1, SYN));
      }
      fixture.pass(MOVE_SECONDS + 1);
    }

    backIn.run();
    fixture.pass(4);
    for (int port : ALL_BUCKETS) {
      fixture.open(client, port + 1);
      assertEquals(members.get(port), fixture.memberOf(client, port, ACK));
    }
  }

  /** Open vSwitch may still use the rule before, for the packets after. */
  @Test
  void synInTheFirstSecondOfAMove_staysWithTheMemberBefore() {
    fixture.settle();
    openAll();
    fixture.pass(2);
    fixture.setMember("m1", "weight", "0");
    while (fixture.moving(fixture.s1) == 0) {
      net.passMillis(250);
    }
    BucketCookie moving =
        fixture.buckets(fixture.s1).stream().filter(BucketCookie::isMoving).findAny().orElseThrow();
    int port = 32_768 + 2 * (moving.index() & 63);

    assertEquals(m1, fixture.memberOf(client, port, SYN));
    net.passMillis(1_000);
    assertEquals(m1, fixture.memberOf(client, port, ACK));
    assertEquals(m2, fixture.memberOf(client, port + 128, SYN));
  }

  @Test
  void connectionOfAMoveThatHasEnded_doesNotCount_andLeavesNoRules() {
    assumeTrue(profile.layout() == TableLayout.FOUR_TABLES); // ends are not told in one table
    fixture.settle();
    Map<Integer, Host> members = openAll();
    fixture.pass(2);
    fixture.setMember("m1", "weight", "0");
    fixture.pass(2);
    for (int port : ALL_BUCKETS) {
      fixture.memberOf(client, port, ACK);
    }
    int pinned = fixture.rules(fixture.s1, CookieKind.REQUEST).size();
    assertEquals(32, pinned);

    for (int port : ALL_BUCKETS) {
      fixture.memberOf(client, port, FIN);
      fixture.reply(members.get(port), client, port, FIN);
    }
    fixture.pass(PIN_SECONDS + 10);
    assertEquals(0, net.stats("m1").activeConnections());

    assertEquals(List.of(), fixture.rules(fixture.s1, CookieKind.REQUEST));
    assertEquals(List.of(), fixture.rules(fixture.s3, CookieKind.REPLY));
    assertEquals(0, net.module.counters().openConnections());
  }

  /** What the controller remembers of a port's connection before is out of date. */
  @Test
  void portThatIsUsedAgain_whileItsBucketMoves_staysWithTheMemberOfItsBucket() {
    fixture.settle();
    moveAllTo("m2", "m1");
    ALL_BUCKETS.forEach(port -> assertEquals(m2, fixture.open(client, port)));
    ALL_BUCKETS.forEach(port -> assertEquals(m2, fixture.memberOf(client, port, FIN)));
    fixture.pass(4 * MOVE_SECONDS);
    moveAllTo("m1", "m2");
    fixture.pass(4 * MOVE_SECONDS);
    assertEquals(Map.of(fixture.number("m1"), 64L), fixture.byMember(fixture.s1));
    assertEquals(List.of(), fixture.rules(fixture.s1, CookieKind.REQUEST));

    ALL_BUCKETS.forEach(port -> assertEquals(m1, fixture.open(client, port)));
    moveAllTo("m2", "m1");

    ALL_BUCKETS.forEach(port -> assertEquals(m1, fixture.memberOf(client, port, ACK)));
  }

  /** The rule that sent the member's packets to the controller, to reset it, is still there. */
  @Test
  void portThatIsUsedAgain_soonAfterItsMemberWasDown_isAnswered() {
    ProactiveFixture quick =
        fixture(Map.of("bucketMoveSeconds", "5", "bucketHoldSeconds", "1")).settle();
    quick.setMember("m1", "weight", "0");
    quick.pass(2);
    ALL_BUCKETS.forEach(port -> assertEquals(quick.m2, quick.open(quick.client, port)));
    quick.pass(6);
    quick.setMember("m1", "weight", "1");
    quick.setMember("m2", "admin_state", "down");
    quick.pass(2);
    quick.setMember("m2", "admin_state", "up");
    quick.setMember("m1", "weight", "0");
    quick.pass(12);
    assertEquals(Map.of(quick.number("m2"), 64L), quick.byMember(quick.s1));
    assertFalse(quick.rules(quick.s3, CookieKind.CLOSED).isEmpty());

    ALL_BUCKETS.forEach(port -> assertEquals(quick.m2, quick.open(quick.client, port)));

    assertEquals(List.of(), quick.rules(quick.s3, CookieKind.CLOSED));
  }

  private void moveAllTo(String to, String from) {
    fixture.setMember(to, "weight", "1");
    fixture.setMember(from, "weight", "0");
    fixture.pass(2);
    assertTrue(fixture.moving(fixture.s1) > 0);
  }

  /** Counters are a second old: a connection may have just begun in a bucket without traffic. */
  @Test
  void connectionThatHasJustBegun_staysWhenItsBucketMoves() {
    fixture.settle();
    fixture.pass(2 * MOVE_SECONDS);
    Map<Integer, Host> members = openAll();

    fixture.setMember("m1", "weight", "0");
    for (int second = 0; second < 2 * MOVE_SECONDS; second++) {
      net.passMillis(250);
      members.forEach((port, member) -> assertEquals(member, fixture.memberOf(client, port, ACK)));
      fixture.pass(1);
    }

    assertEquals(Map.of(fixture.number("m2"), 64L), fixture.byMember(fixture.s1));
  }

  @Test
  void memberThatIsDown_losesItsBucketsAtOnce() {
    fixture.settle();
    openAll();
    fixture.pass(1);

    fixture.setMember("m1", "admin_state", "down");
    fixture.pass(1);

    assertEquals(0, fixture.moving(fixture.s1));
    assertEquals(Map.of(fixture.number("m2"), 64L), fixture.byMember(fixture.s1));
    fixture.withoutController();
    ALL_BUCKETS.forEach(port -> assertEquals(m2, fixture.memberOf(client, port, SYN)));
    assertEquals("member_down", fixture.stats().recentMoves().get(0).cause());
  }

  @Test
  void membersThatAreAllDown_keepTheirBuckets_untilOneIsBack() {
    fixture.settle();
    fixture.setMember("m1", "admin_state", "down");
    fixture.setMember("m2", "admin_state", "down");
    fixture.pass(3);
    fixture.setMember("m2", "admin_state", "up");
    fixture.pass(3);

    fixture.withoutController();
    ALL_BUCKETS.forEach(port -> assertEquals(m2, fixture.memberOf(client, port, SYN)));
  }

  /** From 1:1 to 3:1: a quarter of all buckets has to move, and no others do. */
  @Test
  void changedWeights_moveAsFewBucketsAsPossible() {
    fixture.settle();
    openAll();

    fixture.setMember("m1", "weight", "3");
    fixture.pass(60);

    // a deviation of one bucket moves none
    long ofFirst = fixture.byMember(fixture.s1).get(fixture.number("m1"));
    assertTrue(ofFirst == 47 || ofFirst == 48, () -> ofFirst + " of 64");
    assertEquals(ofFirst - 32, fixture.stats().moves());
  }

  @Test
  void addedMember_getsItsShare() {
    fixture.settle();
    Host m3 = Host.of(fixture.s2, 2, "10.0.0.13");
    net.learn(m3);
    fixture.addMember("m3", m3);
    fixture.pass(120);

    long share = fixture.byMember(fixture.s1).get(fixture.number("m3"));
    assertTrue(share >= 20 && share <= 22, () -> share + " of 64");
  }

  @Test
  void brokenPath_changesNoBucketButTheirLabels() {
    fixture.settle();
    Map<Integer, Host> members = openAll();
    net.flowMods.clear();

    net.unlink(fixture.s1, 11);
    fixture.pass(5);

    assertEquals(
        List.of(),
        net.flowMods.stream()
            .filter(message -> Cookie.is(message.getCookie(), CookieKind.BUCKET))
            .filter(message -> message.getCommand() != OFFlowModCommand.MODIFY_STRICT)
            .toList());
    assertEquals(0, fixture.stats().moves());
    fixture.withoutController();
    members.forEach(
        (port, member) -> {
          assertEquals(member, fixture.memberOf(client, port, ACK));
          fixture.assertAnswered(member, client, port, ACK);
        });
  }

  private void latency(Topology topology, DatapathId one, DatapathId other, int millis) {
    Stream.of(topology.linksBetween(one, other), topology.linksBetween(other, one))
        .flatMap(List::stream)
        .forEach(
            link ->
                net.linkTracker.latency(
                    link, TimeUnit.MILLISECONDS.toNanos(millis), net.nanoTime.get()));
  }

  @Test
  void fasterPath_changesEachBucketOnce() {
    Topology topology =
        Topology.of(net.switchIds(), net.module.links().stream().map(LinkStats::link).toList());
    net.linkTracker.setTopology(topology);
    fixture.set(Catalog.POOLS, "p", "lb_method", "WRR+SPL");
    latency(topology, fixture.s1, fixture.s2, 5);
    latency(topology, fixture.s2, fixture.s3, 5);
    latency(topology, fixture.s1, fixture.s4, 10);
    latency(topology, fixture.s4, fixture.s3, 10);
    fixture.settle();
    Map<Integer, Host> members = openAll();
    net.flowMods.clear();

    latency(topology, fixture.s1, fixture.s2, 60);
    fixture.pass(5);

    List<OFFlowMod> changes =
        net.flowMods.stream()
            .filter(message -> Cookie.is(message.getCookie(), CookieKind.BUCKET))
            .toList();
    assertEquals(64, changes.size());
    assertEquals(64, changes.stream().map(OFFlowMod::getCookie).distinct().count());
    assertTrue(
        changes.stream().allMatch(each -> each.getCommand() == OFFlowModCommand.MODIFY_STRICT));
    assertEquals(0, fixture.stats().moves());
    net.network.cut(fixture.s1, 11);
    fixture.withoutController();
    members.forEach(
        (port, member) -> {
          assertEquals(member, fixture.memberOf(client, port, ACK));
          fixture.assertAnswered(member, client, port, ACK);
        });
  }

  @Test
  void vipThatIsReactiveAgain_keepsItsConnections_andLeavesNoRules() {
    fixture.settle();
    Map<Integer, Host> members = openAll();
    fixture.pass(2);

    fixture.setVip("placement", "reactive");
    fixture.pass(2);
    assertEquals(64, fixture.moving(fixture.s1));
    members.forEach((port, member) -> assertEquals(member, fixture.memberOf(client, port, ACK)));
    fixture.pass(MOVE_SECONDS + 1);

    assertEquals(List.of(), fixture.allRules());
    members.forEach(
        (port, member) -> {
          assertEquals(member, fixture.memberOf(client, port, ACK));
          fixture.assertAnswered(member, client, port, ACK);
        });
  }

  @Test
  void silentConnectionOfAVipThatIsReactiveAgain_goesOnAtItsMember() {
    fixture.settle();
    Map<Integer, Host> members = openAll();
    fixture.pass(2);

    fixture.setVip("placement", "reactive");
    fixture.pass(10 * MOVE_SECONDS);

    assertEquals(List.of(), fixture.allRules());
    members.forEach((port, member) -> assertEquals(member, fixture.memberOf(client, port, ACK)));
  }

  /** What the deleted member's former buckets tell does not concern others. */
  @Test
  void memberDeletedWhileAVipBecomesReactive_resetsNoIdleConnectionOfOthers() {
    fixture.settle();
    fixture.setVip("placement", "reactive");
    fixture.pass(2);
    net.delete(Catalog.MEMBERS, "m1");
    fixture.pass(MOVE_SECONDS + 2);
    ALL_BUCKETS.forEach(port -> assertEquals(m2, fixture.open(client, port)));

    fixture.pass(30); // their rules have expired

    ALL_BUCKETS.forEach(port -> assertEquals(m2, fixture.memberOf(client, port, ACK)));
  }

  /** The members' rules stay while buckets leave. */
  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void replyWhileAVipBecomesReactive_reachesItsClient(String refuseSpoofing) {
    ProactiveFixture leaving = fixture(Map.of("refuseSpoofing", refuseSpoofing));
    leaving.settle();
    Host stranger = Host.of(leaving.s1, 4, "192.168.7.7");
    Host member = leaving.memberOf(stranger, 50_000, SYN);
    leaving.net.learn(stranger);

    leaving.setVip("placement", "reactive");
    leaving.pass(1);

    assertEquals(64, leaving.moving(leaving.s1));
    leaving.assertAnswered(member, stranger, 50_000, SYN_ACK);
  }

  /** Busy or not: reactive is what the operator asked for. */
  @Test
  void busyVip_becomesReactiveWhenItIsToBe() {
    ProactiveFixture busy =
        fixture(Map.of("autoPerSecond", "1", "autoHalfOpen", "1"), "placement", "auto");
    busy.settle();
    ALL_BUCKETS.forEach(port -> busy.memberOf(busy.client, port, SYN));
    busy.pass(2);
    assertEquals(64, busy.buckets(busy.s1).size());

    busy.setVip("placement", "reactive");
    for (int second = 0; second < 2 * MOVE_SECONDS; second++) {
      busy.send(busy.client, 50_000 + second, SYN);
      busy.pass(1);
    }

    assertEquals(List.of(), busy.allRules());
  }

  @Test
  void deletedVip_leavesNoRule() {
    fixture.settle();
    openAll();

    net.delete(Catalog.VIPS, "v");
    fixture.pass(2);

    assertEquals(List.of(), fixture.allRules());
    assertEquals(List.of(), net.module.proactive());
  }

  @Test
  void vipThatLosesItsPool_leavesNoRule() {
    fixture.settle();
    openAll();

    fixture.set(Catalog.POOLS, "p", "vip_id", null);
    fixture.pass(2);

    assertEquals(List.of(), fixture.allRules());
    fixture.assertReset(fixture.send(client, 60_000, SYN));
  }

  @Test
  void vipOnAnotherPort_leavesNoRuleOfTheFormer() {
    fixture.settle();
    fixture.setVip("port", "81");
    fixture.pass(4);

    assertEquals(64, fixture.buckets(fixture.s1).size());
    for (FakeRule rule : fixture.rules(fixture.s1, CookieKind.BUCKET)) {
      assertEquals(81, rule.match().get(MatchField.TCP_DST).getPort());
    }
    fixture.assertReset(fixture.send(client, 60_000, SYN));
  }

  @Test
  void twoVipsOnOneAddress_haveTheirOwnBuckets() {
    net.create(
        Catalog.VIPS,
        "id",
        "w",
        "address",
        VIP.toString(),
        "protocol",
        "tcp",
        "port",
        "443",
        "placement",
        "proactive");
    net.create(Catalog.POOLS, "id", "q", "vip_id", "w");
    net.create(Catalog.MEMBERS, "id", "n1", "address", "10.0.0.11", "port", "8443", "pool_id", "q");
    fixture.settle();

    assertEquals(128, fixture.buckets(fixture.s1).size());
    assertReaches(
        m1,
        net.send(
            client,
            Frames.tcp(
                client.mac(), EdgeMac.of(client.switchId()), client.ip(), 40_000, VIP, 443, SYN)));

    net.delete(Catalog.VIPS, "w");
    fixture.pass(2);

    assertEquals(64, fixture.buckets(fixture.s1).size());
    fixture.withoutController();
    openAll();
    assertReaches(client, fixture.askForVip(client));
  }

  @Test
  void allowedSources_haveOneRulePerNetwork_andOthersAreDenied() {
    fixture.setVip("allowed_sources", "10.0.0.1,172.16.0.0/12");
    fixture.settle();

    assertEquals(inFourTables(2), toBuckets().size());
    fixture.open(client, 40_000);
    assertEquals(List.of(), fixture.send(fixture.other, 40_000, SYN));
    assertEquals(List.of(), fixture.send(fixture.other, 40_001, ACK));
    Host far = Host.of(fixture.s1, 4, "172.31.255.1");
    fixture.memberOf(far, 40_000, SYN);
    assertEquals(
        List.of(BucketSource.PORT),
        fixture.buckets(fixture.s1).stream().map(each -> each.key().source()).distinct().toList());
  }

  /** An address with a full mask reads back as an exact one. */
  @Test
  void allowedSources_areNotSentAgainByEachReconciliation() {
    fixture.setVip("allowed_sources", "10.0.0.1,172.16.0.0/12");
    fixture.settle();
    net.flowMods.clear();

    fixture.pass(200);

    assertEquals(
        List.of(),
        net.flowMods.stream()
            .filter(
                message ->
                    Cookie.is(message.getCookie(), CookieKind.PROACTIVE)
                        || Cookie.is(message.getCookie(), CookieKind.BUCKET))
            .toList());
  }

  @Test
  void memberOnTheClientsEdge_getsItsShareAndAnswers() {
    Host near = Host.of(fixture.s1, 2, "10.0.0.13");
    net.learn(near);
    fixture.addMember("near", near);
    fixture.settle();
    fixture.withoutController();

    int reached = 0;
    for (int port = 40_000; port < 40_256; port += 2) {
      List<Delivery> out = fixture.send(client, port, SYN);
      if (Packet.parse(out.get(0).frame()).dstAddress() == near.ip().getInt()) {
        assertReaches(near, out);
        fixture.assertAnswered(near, client, port, SYN_ACK);
        reached++;
      }
    }
    assertTrue(reached > 30, () -> "too few");
  }

  /** Through its bucket, it could reach itself. */
  @Test
  void memberThatIsAClient_isPlacedByTheController() {
    Host near = Host.of(fixture.s1, 2, "10.0.0.13");
    net.learn(near);
    fixture.addMember("near", near);
    fixture.settle();

    for (int port : ALL_BUCKETS) {
      List<Delivery> out = fixture.send(near, port, SYN);
      assertEquals(1, out.size());
      assertEquals(fixture.s3, out.get(0).switchId());
    }
  }

  /** Members answer checks to the VIP's address; a translated answer would be lost. */
  @Test
  void answersToHealthChecks_reachTheController() {
    net.monitor("TCP");
    fixture.settle();
    for (int second = 0; second < 20; second++) {
      net.delivered.clear();
      fixture.pass(1);
      List.copyOf(net.delivered).stream()
          .filter(each -> Packet.parse(each.frame()).isTcpSyn())
          .forEach(this::answerProbe);
    }

    assertEquals(Health.UP, net.stats("m1").health());
    assertEquals(Health.UP, net.stats("m2").health());
    assertEquals(2, fixture.byMember(fixture.s1).size());
    assertEquals(0, fixture.stats().moves());
  }

  private void answerProbe(Delivery probe) {
    Packet syn = Packet.parse(probe.frame());
    Host member = syn.dstAddress() == m1.ip().getInt() ? m1 : m2;
    net.send(member, Frames.synAck(member.mac(), probe.frame()));
  }

  @Test
  void resetOfAMember_reachesTheClient() {
    fixture.settle();
    fixture.withoutController();
    Host member = fixture.open(client, 40_000);

    fixture.assertAnswered(member, client, 40_000, RST);
  }

  @Test
  void switchThatCannotMaskPorts_hasBucketsByAddress() {
    net.refuseMasks(MatchField.TCP_SRC);
    fixture.settle();

    assertEquals(Optional.of("address"), fixture.edge(fixture.s1).orElseThrow().source());
    fixture.withoutController();
    Host member = fixture.open(client, 50_000);
    for (int port : ALL_BUCKETS) {
      assertEquals(member, fixture.open(client, port));
    }
  }

  @Test
  void switchThatMasksNeither_isReactive_andSaysWhy() {
    net.refuseMasks(MatchField.TCP_SRC, MatchField.IPV4_SRC);
    fixture.settle();

    assertEquals(List.of(), fixture.buckets(fixture.s1));
    assertEquals(
        Optional.of("the switch accepts no masks on ports or addresses"),
        fixture.edge(fixture.s1).orElseThrow().problem().map(ProactiveStats.Problem::text));
    fixture.open(client, 40_000);
    assertEquals(1, net.module.counters().openConnections());
  }

  @Test
  void moreUnequalWeights_doubleTheBuckets_andConnectionsStay() {
    fixture.settle();
    Map<Integer, Host> members = openAll();
    fixture.pass(2);

    fixture.setMember("m1", "weight", "100");
    fixture.pass(2);
    assertTrue(fixture.buckets(fixture.s1).size() >= 64);
    for (int second = 0; second < 200; second += 10) {
      members.forEach((port, member) -> assertEquals(member, fixture.memberOf(client, port, ACK)));
      fixture.pass(10);
    }

    members.forEach((port, member) -> assertEquals(member, fixture.memberOf(client, port, ACK)));
    long of2 = fixture.byMember(fixture.s1).get(fixture.number("m2"));
    assertTrue(of2 <= 2, () -> of2 + " buckets");
  }

  @Test
  void datagrams_ofAnEstablishedConnection_stayWhileItsBucketMoves() {
    ProactiveFixture udp = fixture(Map.of(), "protocol", "udp");
    udp.settle();
    Map<Integer, IPv4Address> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, datagram(udp, port)));
    udp.pass(2);

    udp.setMember("m1", "weight", "0");
    udp.pass(2);
    ALL_BUCKETS.forEach(port -> assertEquals(members.get(port), datagram(udp, port)));
    udp.pass(MOVE_SECONDS + 2);

    ALL_BUCKETS.forEach(port -> assertEquals(members.get(port), datagram(udp, port)));
    ALL_BUCKETS.forEach(port -> assertEquals(m2.ip(), datagram(udp, port + 1)));
  }

  private static IPv4Address datagram(ProactiveFixture udp, int port) {
    Host from = udp.client;
    List<Delivery> out =
        udp.net.send(
            from,
            Frames.udp(
                from.mac(), EdgeMac.of(from.switchId()), from.ip(), port, VIP, 80, new byte[4]));
    assertEquals(1, out.size(), () -> "came out: " + out);
    return IPv4Address.of(Packet.parse(out.get(0).frame()).dstAddress());
  }
}
