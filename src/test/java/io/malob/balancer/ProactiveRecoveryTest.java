package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.MOVE_SECONDS;
import static io.malob.testing.SwitchProfile.FOUR_TABLES;
import static io.malob.testing.SwitchProfile.NO_MASKS;
import static io.malob.testing.SwitchProfile.ONE_TABLE;
import static io.malob.testing.SwitchProfile.ONE_TABLE_WITH_GROUPS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.ProactiveStats.State;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.bucket.BucketCookie;
import io.malob.state.catalog.Catalog;
import io.malob.testing.EachSwitchProfile;
import io.malob.testing.FakeRule;
import io.malob.testing.SwitchProfile;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowModCommand;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.TransportPort;

/** Proactive VIPs when controllers start again, and when switches are lost, full or afresh. */
@EachSwitchProfile
class ProactiveRecoveryTest {
  private final SwitchProfile profile;
  private final ProactiveFixture fixture;
  private final BalancerNetwork net;
  private final Host client;
  private final Host m2;

  ProactiveRecoveryTest(SwitchProfile profile) {
    this.profile = profile;
    fixture = fixture().settle();
    net = fixture.net;
    client = fixture.client;
    m2 = fixture.m2;
  }

  @AfterEach
  void assertNothingRefused() {
    assertEquals(List.of(), net.network.refusals());
  }

  private ProactiveFixture fixture(String... vipFields) {
    return new ProactiveFixture(new BalancerNetwork(profile), vipFields);
  }

  private static Map<Integer, Host> openAll(ProactiveFixture at) {
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, at.open(at.client, port)));
    return members;
  }

  private static List<OFFlowMod> proactive(ProactiveFixture of) {
    return of.net.flowMods.stream()
        .filter(
            message ->
                Cookie.is(message.getCookie(), CookieKind.BUCKET)
                    || Cookie.is(message.getCookie(), CookieKind.PROACTIVE))
        .filter(message -> !isProbe(message))
        .toList();
  }

  private static boolean isProbe(OFFlowMod message) {
    return Cookie.is(message.getCookie(), CookieKind.BUCKET)
        && Cookie.vipNumber(message.getCookie()) == 0;
  }

  @Test
  void restart_movesNothing_andChangesLabelsOnly() {
    Map<Integer, Host> members = openAll(fixture);
    fixture.pass(2);
    Set<BucketCookie> before = Set.copyOf(fixture.buckets(fixture.s1));

    ProactiveFixture after = fixture.restarted();
    after.pass(70);

    assertEquals(before, Set.copyOf(after.buckets(after.s1)));
    assertEquals(
        List.of(),
        proactive(after).stream()
            .filter(message -> message.getCommand() != OFFlowModCommand.MODIFY_STRICT)
            .toList());
    assertEquals(0, after.stats().moves());
    assertEquals(State.PROACTIVE, after.stats().state());
    after.withoutController();
    members.forEach(
        (port, member) -> {
          assertEquals(member, after.memberOf(client, port, ACK));
          after.assertAnswered(member, client, port, ACK);
        });
    assertEquals(1, after.askForVip(client).size());
  }

  /** Found rules are in use until they are replaced, so their labels have to stay. */
  @Test
  void restart_neverInterruptsConnections() {
    Map<Integer, Host> members = openAll(fixture);

    ProactiveFixture after = fixture.restarted();
    for (int second = 0; second < 150; second++) {
      after.pass(1);
      members.forEach(
          (port, member) -> {
            assertEquals(member, after.memberOf(client, port, ACK));
            after.assertAnswered(member, client, port, ACK);
          });
    }
  }

  @Test
  void restartInAMove_keepsEstablishedConnections_andCompletesTheDrain() {
    Map<Integer, Host> members = openAll(fixture);
    fixture.pass(2);
    fixture.setMember("m1", "weight", "0");
    fixture.pass(4);
    assertEquals(32, fixture.moving(fixture.s1));
    ALL_BUCKETS.stream().limit(32).forEach(port -> fixture.memberOf(client, port, ACK));

    ProactiveFixture after = fixture.restarted();
    after.setMember("m1", "weight", "0");
    after.pass(2);
    for (int second = 0; second < 3 * MOVE_SECONDS; second++) {
      for (int port : ALL_BUCKETS) {
        assertEquals(members.get(port), after.memberOf(client, port, ACK));
      }
      after.pass(1);
    }

    assertEquals(Map.of(after.number("m2"), 64L), after.byMember(after.s1));
    assertEquals(0, after.moving(after.s1));
  }

  /** Of all buckets that move, the controller knows only the number of the member. */
  @Test
  void restartInAMove_resetsNoConnection_whileMembersAreNotLocated() {
    Map<Integer, Host> members = openAll(fixture);
    fixture.pass(2);
    fixture.setMember("m1", "weight", "0");
    fixture.pass(4);

    ProactiveFixture after = fixture.restarted();
    after.net.forget(after.m1);
    after.net.forget(m2);
    after.pass(2);
    members.forEach(
        (port, member) ->
            after
                .send(client, port, ACK)
                .forEach(
                    each -> assertEquals(member.port(), each.port().getPortNumber(), "a reset")));
    after.net.learn(after.m1);
    after.net.learn(m2);
    after.pass(2);

    members.forEach((port, member) -> assertEquals(member, after.memberOf(client, port, ACK)));
  }

  @Test
  void restartWithoutTheVip_leavesNoRule() {
    BalancerNetwork after = net.restarted();
    for (long id = 1; id <= 4; id++) {
      after.addSwitch(id);
    }
    for (int second = 0; second < 280; second++) {
      after.passMillis(250);
    }

    assertEquals(List.of(), fixture.allRules());
  }

  @Test
  void restartWithTheVipReactive_keepsConnections_andLeavesNoRule() {
    Map<Integer, Host> members = openAll(fixture);

    ProactiveFixture after = fixture.restarted("placement", "reactive");
    for (int second = 0; second < 100; second += 5) {
      members.forEach((port, member) -> assertEquals(member, after.memberOf(client, port, ACK)));
      after.pass(5);
    }

    assertEquals(List.of(), after.allRules());
  }

  private void returnThatAcceptsMasks(ProactiveFixture at) {
    at.net.disconnect(at.s1);
    at.pass(1);
    at.net.acceptMasks();
    at.net.reconnect(at.s1);
    at.net.explore(at.s1);
    at.pass(4);
  }

  @Test
  void reactiveSwitchThatReturns_isAskedForMasksAgain() {
    ProactiveFixture unable = fixture();
    unable.net.refuseMasks(MatchField.TCP_SRC, MatchField.IPV4_SRC);
    unable.settle();
    assertEquals(List.of(), unable.buckets(unable.s1));

    returnThatAcceptsMasks(unable);

    assertEquals(Optional.of("port"), unable.edge(unable.s1).orElseThrow().source());
    assertEquals(64, unable.buckets(unable.s1).size());
    assertEquals(Optional.empty(), unable.edge(unable.s1).orElseThrow().problem());
  }

  /** Other buckets would lead established connections to other members. */
  @Test
  void switchThatReturns_keepsItsBuckets_andIsAskedForMasksBeforeTheNext() {
    ProactiveFixture byAddress = fixture();
    byAddress.net.refuseMasks(MatchField.TCP_SRC);
    byAddress.settle();

    returnThatAcceptsMasks(byAddress);
    assertEquals(Optional.of("address"), byAddress.edge(byAddress.s1).orElseThrow().source());
    assertEquals(0, byAddress.stats().moves());

    byAddress.setVip("placement", "reactive");
    byAddress.pass(MOVE_SECONDS + 2);
    byAddress.setVip("placement", "proactive");
    byAddress.pass(4);

    assertEquals(Optional.of("port"), byAddress.edge(byAddress.s1).orElseThrow().source());
  }

  @Test
  void restartWithTheVipOnAnotherPort_leavesNoRuleOfTheFormer() {
    ProactiveFixture after = fixture.restarted("port", "81");
    after.pass(70);

    assertEquals(64, after.buckets(after.s1).size());
    for (FakeRule rule : after.rules(after.s1, CookieKind.BUCKET)) {
      assertEquals(81, rule.match().get(MatchField.TCP_DST).getPort());
    }
    assertEquals(
        0,
        after.allRules().stream()
            .filter(rule -> TransportPort.of(80).equals(rule.match().get(MatchField.TCP_DST)))
            .count());
  }

  @Test
  void restartWithSomeBucketsMissing_isCompletedAgain() {
    openAll(fixture);
    FakeRule lost = fixture.rules(fixture.s1, CookieKind.BUCKET).get(7);
    net.table(fixture.s1).apply(deletion(lost));

    ProactiveFixture after = fixture.restarted();
    after.pass(70);

    assertEquals(64, after.buckets(after.s1).size());
    assertEquals(State.PROACTIVE, after.stats().state());
    after.withoutController();
    openAll(after);
  }

  private static OFFlowMod deletion(FakeRule rule) {
    return BalancerNetwork.FACTORY
        .buildFlowDeleteStrict()
        .setTableId(rule.table())
        .setPriority(rule.priority())
        .setMatch(rule.match())
        .build();
  }

  @Test
  void bucketThatIsLost_isSentAgainByTheNextReconciliation() {
    FakeRule lost = fixture.rules(fixture.s1, CookieKind.BUCKET).get(7);
    FakeRule translation = fixture.rules(fixture.s3, CookieKind.PROACTIVE).get(0);
    fixture.pass(10);
    net.table(fixture.s1).apply(deletion(lost));
    net.table(fixture.s3).apply(deletion(translation));
    fixture.pass(200);

    assertEquals(64, fixture.buckets(fixture.s1).size());
    assertTrue(
        fixture.rules(fixture.s3, CookieKind.PROACTIVE).stream()
            .anyMatch(rule -> rule.match().equals(translation.match())));
  }

  @Test
  void switchThatReturnsWithoutRules_getsAllOfThemAgain() {
    Set<FakeRule> before = new HashSet<>(fixture.allRules());
    for (Host at : List.of(client, m2)) {
      net.table(at.switchId()).clear();
      net.disconnect(at.switchId());
      fixture.pass(2);
      net.reconnect(at.switchId());
      net.explore(at.switchId());
      fixture.pass(10);
    }

    assertEquals(64, fixture.buckets(fixture.s1).size());
    assertEquals(before.size(), fixture.allRules().size());
    fixture.withoutController();
    openAll(fixture);
  }

  @Test
  void switchThatReturnsWithItsRules_getsNoneAgain() {
    net.disconnect(fixture.s1);
    fixture.pass(2);
    net.flowMods.clear();
    net.reconnect(fixture.s1);
    net.explore(fixture.s1);
    fixture.pass(10);

    assertEquals(
        List.of(),
        net.flowMods.stream()
            .filter(message -> Cookie.is(message.getCookie(), CookieKind.BUCKET))
            .filter(message -> message.getCommand() == OFFlowModCommand.ADD)
            .filter(message -> !isProbe(message))
            .toList());
    assertEquals(0, fixture.stats().moves());
  }

  /** A switch with other software may hold rules in another layout. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void switchThatReturnsWithAnotherLayout_getsRulesOfThat_andConnectionsGoOn(boolean keepsRules) {
    Map<Integer, Host> members = openAll(fixture);
    for (SwitchProfile next : List.of(FOUR_TABLES, ONE_TABLE, ONE_TABLE_WITH_GROUPS, profile)) {
      for (Host at : List.of(client, m2)) {
        returnAs(next, at.switchId(), keepsRules);

        assertEquals(64, fixture.buckets(fixture.s1).size(), () -> next + " at " + at);
        assertEquals(Optional.empty(), problem(fixture));
        members.forEach(
            (port, member) -> {
              assertEquals(member, fixture.memberOf(client, port, ACK));
              fixture.assertAnswered(member, client, port, ACK);
            });
      }
      fixture.pass(2); // rules of the former layout would be found now
      assertServesAlone(fixture);
    }
    assertEquals(0, fixture.stats().moves());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void edgeThatReturnsAsACoreSwitch_isReplacedByTheNext_andBack(boolean keepsRules) {
    returnAs(NO_MASKS, client.switchId(), keepsRules);
    for (int port : ALL_BUCKETS) {
      fixture.open(client, port);
    }

    returnAs(profile, client.switchId(), keepsRules);
    assertEquals(64, fixture.buckets(fixture.s1).size());
    for (int port : ALL_BUCKETS) {
      fixture.open(client, port + 1_000);
    }
  }

  private void returnAs(SwitchProfile next, DatapathId at, boolean keepsRules) {
    net.disconnect(at);
    fixture.pass(2);
    if (!keepsRules) {
      net.table(at).clear();
    }
    net.table(at).become(next);
    net.reconnect(at);
    net.explore(at);
    fixture.pass(10);
  }

  /** Without the controller, all clients of all buckets reach members and get answers. */
  private void assertServesAlone(ProactiveFixture at) {
    at.withoutController();
    openAll(at);
    assertEquals(1, at.askForVip(client).size());
    at.net.network.setController(at.net::packetIn);
  }

  @Test
  void vipDeletedWhileASwitchWasAway_leavesNoRuleThere() {
    net.disconnect(fixture.s1);
    fixture.pass(1);
    net.delete(Catalog.VIPS, "v");
    fixture.pass(2);
    assertFalse(fixture.allRules().isEmpty());
    net.reconnect(fixture.s1);
    fixture.pass(10);

    assertEquals(List.of(), fixture.allRules());
  }

  @Test
  void fullTableAtTheClientsEdge_isReactiveAndReported_andRetriedAfterAMinute() {
    ProactiveFixture full = fixture();
    full.net.refuse(CookieKind.BUCKET, true);
    full.settle();

    assertEquals(Optional.of("a switch refuses a rule: FLOW_MOD_FAILED/TABLE_FULL"), problem(full));
    assertEquals(State.REACTIVE, state(full));
    full.pass(MOVE_SECONDS + 1);
    full.open(client, 40_000);
    assertEquals(1, full.net.module.counters().openConnections());

    full.net.refuse(CookieKind.BUCKET, false);
    full.pass(70);

    assertEquals(Optional.empty(), problem(full));
    assertEquals(State.PROACTIVE, full.stats().state());
    assertEquals(64, full.buckets(full.s1).size());
  }

  private static Optional<String> problem(ProactiveFixture of) {
    return of.edge(of.s1).orElseThrow().problem().map(ProactiveStats.Problem::text);
  }

  private static State state(ProactiveFixture of) {
    of.pass(MOVE_SECONDS + 2);
    return of.edge(of.s1).orElseThrow().state();
  }

  @Test
  void fullTableAtTheMembersEdge_isReactiveAndReported_andRetriedAfterAMinute() {
    ProactiveFixture full = fixture();
    full.net.refuse(CookieKind.PROACTIVE, true);
    full.settle();

    assertEquals(Optional.of("a switch refuses a rule: FLOW_MOD_FAILED/TABLE_FULL"), problem(full));
    assertEquals(List.of(), full.buckets(full.s1));
    full.open(client, 40_000);
    assertEquals(1, full.net.module.counters().openConnections());

    full.net.refuse(CookieKind.PROACTIVE, false);
    full.pass(70);

    assertEquals(Optional.empty(), problem(full));
    assertEquals(64, full.buckets(full.s1).size());
    full.withoutController();
    openAll(full);
  }

  /** Reactive placement would need more rules. The member without rules gets no buckets. */
  @Test
  void memberWhoseSwitchIsFull_getsBucketsWhenThereIsRoom() {
    Map<Integer, Host> members = openAll(fixture);
    net.refuse(CookieKind.PROACTIVE, true);
    Host m3 = Host.of(fixture.s2, 2, "10.0.0.13");
    net.learn(m3);
    fixture.addMember("m3", m3);
    for (int second = 0; second < 200; second++) {
      members.forEach((port, member) -> assertEquals(member, fixture.memberOf(client, port, ACK)));
      fixture.pass(1);
    }
    assertEquals(State.PROACTIVE, fixture.stats().state());
    assertEquals(64, fixture.buckets(fixture.s1).size());
    assertEquals(0, fixture.stats().moves());
    assertEquals(
        Optional.of("a switch refuses a rule: FLOW_MOD_FAILED/TABLE_FULL"), problem(fixture));

    net.refuse(CookieKind.PROACTIVE, false);
    fixture.pass(300);

    assertEquals(Optional.empty(), problem(fixture));
    assertTrue(fixture.byMember(fixture.s1).get(fixture.number("m3")) >= 20);
  }

  @Test
  void newClientWithoutRoomForItsRules_leavesBucketsAsTheyAre() {
    Map<Integer, Host> members = openAll(fixture);
    net.refuse(CookieKind.PROACTIVE, true);
    Host third = Host.of(fixture.s1, 4, "10.0.0.3");
    net.learn(third);
    fixture.askForVip(third);
    fixture.pass(MOVE_SECONDS + 5);

    assertEquals(State.PROACTIVE, fixture.stats().state());
    assertEquals(0, fixture.moving(fixture.s1));
    ALL_BUCKETS.forEach(port -> fixture.open(third, port));
    assertEquals(0, net.module.counters().openConnections());
    members.forEach((port, member) -> assertEquals(member, fixture.memberOf(client, port, ACK)));

    net.refuse(CookieKind.PROACTIVE, false);
    fixture.pass(130);
    assertEquals(Optional.empty(), problem(fixture));
    fixture.withoutController();
    ALL_BUCKETS.forEach(port -> fixture.open(third, port));
  }

  @Test
  void bucketsThatCannotSplit_stayUntilThereIsRoom() {
    Map<Integer, Host> members = openAll(fixture);
    int before = fixture.buckets(fixture.s1).size();
    net.refuse(CookieKind.BUCKET, true);
    for (int number = 13; number < 21; number++) {
      Host more = Host.of(fixture.s2, number, "10.0.0." + number);
      net.learn(more);
      fixture.addMember("m" + number, more);
    }
    fixture.pass(100);

    assertEquals(
        Optional.of("a switch refuses a rule: FLOW_MOD_FAILED/TABLE_FULL"), problem(fixture));
    assertEquals(before, fixture.buckets(fixture.s1).size());
    members.forEach((port, member) -> assertEquals(member, fixture.memberOf(client, port, ACK)));
    assertEquals(0, net.module.counters().openConnections());

    net.refuse(CookieKind.BUCKET, false);
    fixture.pass(300);

    assertEquals(Optional.empty(), problem(fixture));
    assertTrue(fixture.buckets(fixture.s1).size() > before);
    assertEquals(1, fixture.buckets(fixture.s1).stream().map(BucketCookie::key).distinct().count());
  }

  @Test
  void connectionOfAReactiveVip_isPinnedWhenTheVipBecomesProactive() {
    ProactiveFixture later = fixture("placement", "reactive");
    later.askForVip(client);
    Map<Integer, Host> members = openAll(later);
    later.pass(20); // the connections are dormant now

    later.setVip("placement", "proactive");
    later.pass(5);

    assertEquals(64, later.buckets(later.s1).size());
    later.withoutController();
    members.forEach((port, member) -> assertEquals(member, later.memberOf(client, port, ACK)));
  }

  /** In one table, a rule of SYNs would be before buckets. */
  @Test
  void restartWithTheVipProactive_leavesNoRuleBeforeItsBuckets() {
    ProactiveFixture reactive = fixture("placement", "reactive").settle();

    ProactiveFixture after = reactive.restarted("placement", "proactive");
    after.settle();

    after.withoutController();
    openAll(after);
  }
}
