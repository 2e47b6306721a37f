package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.FIRST_PORT;
import static io.malob.balancer.ProactiveFixture.SYN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.ProactiveStats.Problem.Kind;
import io.malob.balancer.api.RejectReason;
import io.malob.state.catalog.Catalog;
import io.malob.testing.SwitchProfile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/** VIPs whose connections the switches track, over both versions of IP. */
class TrackedPlacementTest {
  private BalancerNetwork net;
  private ProactiveFixture fixture;
  private Host client;
  private Host m1;
  private Host m2;

  private void setUp(String vip) {
    setUp(vip, SwitchProfile.OPEN_VSWITCH, "tracked");
  }

  private void setUp(String vip, SwitchProfile profile, String placement) {
    net = new BalancerNetwork(profile, Map.of());
    take(
        new ProactiveFixture(
            net, IPAddress.of(vip), "placement", placement, "auto_per_second", "0"));
    fixture.settle();
  }

  private void take(ProactiveFixture now) {
    fixture = now;
    net = now.net;
    client = now.client;
    m1 = now.m1;
    m2 = now.m2;
  }

  @AfterEach
  void assertNothingRefused() {
    assertEquals(List.of(), net.network.refusals());
  }

  private Map<Integer, Host> openAll() {
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.open(client, port)));
    assertNotEquals(1, Map.copyOf(members).values().stream().distinct().count());
    return members;
  }

  private void assertGoOn(Map<Integer, Host> members) {
    members.forEach(
        (port, member) -> {
          assertEquals(member, fixture.memberOf(client, port, ACK));
          fixture.assertAnswered(member, client, port, ACK);
        });
  }

  /** The connections of the members that are not lost. */
  private static Map<Integer, Host> without(Host lost, Map<Integer, Host> members) {
    Map<Integer, Host> left = new HashMap<>(members);
    left.values().removeIf(lost::equals);
    return left;
  }

  private void assertReset(Host lost, Map<Integer, Host> members) {
    members.forEach(
        (port, member) -> {
          if (member.equals(lost)) {
            fixture.send(client, port, ACK);
          }
        });
    fixture.pass(1);
    members.forEach(
        (port, member) -> {
          if (member.equals(lost)) {
            assertNotEquals(lost, fixture.memberOf(client, port, ACK));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void buckets_moveAtOnce_andOpenConnectionsStay(String vip) {
    setUp(vip);
    Map<Integer, Host> members = openAll();
    fixture.setMember("m1", "weight", "0");
    fixture.pass(1);
    assertEquals(Map.of(fixture.number("m2"), 64L), fixture.byMember(fixture.s1));
    fixture.withoutController();

    assertEquals(0, fixture.moving(fixture.s1));
    assertGoOn(members);
    for (int port : ALL_BUCKETS) {
      assertEquals(m2, fixture.open(client, port + 1));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void connections_haveNoRules(String vip) {
    setUp(vip);
    int rules = fixture.rules();

    openAll();
    fixture.pass(2);

    assertEquals(rules, fixture.rules());
    assertEquals(0, net.module.connections(any -> true, null, 100).connections().size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void synThatIsSentAgain_staysOnItsMember_whenItsBucketHasMoved(String vip) {
    setUp(vip);
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.memberOf(client, port, SYN)));
    fixture.setMember("m1", "weight", "0");
    fixture.pass(1);

    members.forEach((port, member) -> assertEquals(member, fixture.memberOf(client, port, SYN)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void connectionsOfADownMember_areLedToOthers_whichResetThem(String vip) {
    setUp(vip);
    Map<Integer, Host> members = openAll();

    fixture.setMember("m1", "admin_state", "down");

    assertReset(m1, members);
    assertGoOn(without(m1, members));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void connectionsOfARemovedMember_areLedToOthers_whichResetThem(String vip) {
    setUp(vip);
    Map<Integer, Host> members = openAll();

    net.delete(Catalog.MEMBERS, "m1");
    fixture.pass(1);

    assertReset(m1, members);
    assertGoOn(without(m1, members));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void connections_goOnUnderTheNextController(String vip) {
    setUp(vip);
    Map<Integer, Host> members = openAll();
    Map<Integer, Long> buckets = fixture.byMember(fixture.s1);

    take(fixture.restarted("placement", "tracked", "auto_per_second", "0"));
    fixture.pass(70);

    assertEquals(buckets, fixture.byMember(fixture.s1));
    assertGoOn(members);
    openAll();
  }

  @Test
  void connectionFromAnotherSwitch_isNotReset_beforeItsClientIsFound() {
    setUp("10.0.0.100");
    net.setUndecided(client, true);
    fixture.send(client, FIRST_PORT, ACK);
    assertEquals(0, net.refused(RejectReason.UNKNOWN_CONNECTION));

    net.setUndecided(client, false);

    Host member = fixture.memberOf(client, FIRST_PORT, ACK);
    fixture.assertAnswered(member, client, FIRST_PORT, ACK);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void vipThatIsReactiveAgain_keepsItsConnections(String vip) {
    setUp(vip);
    Map<Integer, Host> members = openAll();

    fixture.setVip("placement", "reactive");
    fixture.pass(120);

    assertGoOn(members);
    openAllBy(1);
    assertEquals(64, net.module.connections(any -> true, null, 100).connections().size());
  }

  private void openAllBy(int offset) {
    for (int port : ALL_BUCKETS) {
      fixture.open(client, port + offset);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void proactiveVip_thatBecomesTracked_keepsItsConnections(String vip) {
    setUp(vip, SwitchProfile.OPEN_VSWITCH, "proactive");
    Map<Integer, Host> members = openAll();

    fixture.setVip("placement", "tracked");
    for (int second = 0; second < 40; second++) {
      fixture.pass(1);
      assertGoOn(members);
    }

    assertEquals(64, fixture.buckets(fixture.s1).size());
    int known = net.module.connections(any -> true, null, 200).connections().size();
    openAllBy(1);
    assertEquals(known, net.module.connections(any -> true, null, 200).connections().size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void vip_isReactive_whereASwitchDoesNotTrack(String vip) {
    setUp(vip, SwitchProfile.FOUR_TABLES, "tracked");

    openAll();

    assertEquals(64, net.module.connections(any -> true, null, 100).connections().size());
    assertReactive(fixture.s1);
  }

  private void assertReactive(DatapathId lacking) {
    ProactiveStats.Edge edge = fixture.edge(fixture.s1).orElseThrow();
    assertEquals(Kind.NO_TRACKING, edge.problem().orElseThrow().kind());
    assertTrue(edge.problem().orElseThrow().toString().contains(lacking.toString()));
    assertEquals(ProactiveStats.State.REACTIVE, edge.state());
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void vip_isReactive_ifTheSwitchOfAMemberDoesNotTrack(String vip) {
    net = new BalancerNetwork(SwitchProfile.OPEN_VSWITCH, Map.of());
    net.network.table(DatapathId.of(3), SwitchProfile.FOUR_TABLES);
    take(new ProactiveFixture(net, IPAddress.of(vip), "placement", "tracked"));
    fixture.settle();

    openAll();

    assertEquals(64, net.module.connections(any -> true, null, 100).connections().size());
    assertReactive(fixture.s3);
  }
}
