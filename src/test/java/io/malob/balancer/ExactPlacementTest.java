package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.FIN;
import static io.malob.balancer.ProactiveFixture.SYN;
import static io.malob.balancer.ProactiveFixture.SYN_ACK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.FlowLayout;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeRule;
import io.malob.testing.SwitchProfile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPAddress;

/** VIPs whose connections the switches track, and whose members the controller chooses. */
class ExactPlacementTest {
  private BalancerNetwork net;
  private ProactiveFixture fixture;
  private Host client;
  private Host m1;
  private Host m2;

  private void setUp(String vip, String... fields) {
    net = new BalancerNetwork(SwitchProfile.OPEN_VSWITCH, Map.of());
    fixture = new ProactiveFixture(net, IPAddress.of(vip), "placement", "tracked");
    fixture.setVip(fields);
    fixture.settle();
    client = fixture.client;
    m1 = fixture.m1;
    m2 = fixture.m2;
  }

  @AfterEach
  void assertNothingRefused() {
    assertEquals(List.of(), net.network.refusals());
  }

  /** The members of that many connections. */
  private Map<Integer, Host> open(int count) {
    Map<Integer, Host> members = new HashMap<>();
    IntStream.range(0, count)
        .map(index -> 40_000 + index)
        .forEach(port -> members.put(port, fixture.open(client, port)));
    return members;
  }

  private static long at(Host member, Map<Integer, Host> members) {
    return members.values().stream().filter(member::equals).count();
  }

  private void assertGoOn(Map<Integer, Host> members) {
    members.forEach(
        (port, member) -> {
          assertEquals(member, fixture.memberOf(client, port, ACK));
          fixture.assertAnswered(member, client, port, ACK);
        });
  }

  private List<FakeRule> openings() {
    return net.table(fixture.s1).rules().stream()
        .filter(rule -> rule.priority() == FlowLayout.PRIORITY_OPENING)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void algorithm_choosesEachConnection_whichHasNoRulesOfItsOwn(String vip) {
    setUp(vip);
    fixture.setMember("m1", "weight", "3");
    fixture.pass(1);
    int rules = fixture.rules();

    Map<Integer, Host> members = open(40);

    assertEquals(30, at(m1, members));
    assertGoOn(members);
    assertEquals(rules, fixture.rules());
    assertEquals(0, net.module.connections(any -> true, null, 100).connections().size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void packetsAfterTheFirst_doNotReachTheController(String vip) {
    setUp(vip);
    Host member = fixture.memberOf(client, 40_000, SYN);
    fixture.withoutController();

    assertEquals(member, fixture.memberOf(client, 40_000, SYN));
    fixture.assertAnswered(member, client, 40_000, SYN_ACK);
    assertEquals(member, fixture.memberOf(client, 40_000, ACK));
  }

  @Test
  void rule_endsByItself_andIsSentAgainInTime() {
    setUp("10.0.0.100");
    for (int second = 0; second < 6; second++) {
      assertEquals(1, openings().size());
      assertEquals(2, openings().get(0).hardTimeout());
      fixture.pass(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void busyVip_hasShares_andItsOpenConnectionsStay(String vip) {
    setUp(vip);
    Map<Integer, Host> members = open(20);

    fixture.setVip("auto_per_second", "0");
    fixture.pass(1);

    assertEquals(List.of(), openings());
    assertGoOn(members);
    fixture.setVip("auto_per_second", "1000");
    fixture.pass(40);
    assertEquals(1, openings().size());
    assertGoOn(members);
  }

  @Test
  void rate_decides() {
    setUp("10.0.0.100", "auto_per_second", "50");
    open(60);
    fixture.pass(1);

    assertEquals(List.of(), openings());
    fixture.pass(40);
    assertEquals(1, openings().size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void connectionLimit_isKept_untilConnectionsEnd(String vip) {
    setUp(vip, "connection_limit", "4");
    Map<Integer, Host> members = open(4);

    fixture.assertReset(fixture.send(client, 41_000, SYN));
    fixture.pass(3);
    fixture.assertReset(fixture.send(client, 41_001, SYN));
    assertGoOn(members);

    fixture.assertAnswered(members.get(40_000), client, 40_000, FIN);
    fixture.pass(4);
    fixture.open(client, 41_002);
  }

  @Test
  void limitOfAMember_isKept() {
    setUp("10.0.0.100");
    fixture.setMember("m1", "connection_limit", "2");
    fixture.pass(1);

    Map<Integer, Host> members = open(10);

    assertEquals(2, at(m1, members));
  }

  @Test
  void client_keepsItsMember_ifItsPoolSaysSo() {
    setUp("10.0.0.100");
    net.change(Catalog.POOLS, "p", "session_persistence", "source_ip");
    fixture.pass(1);

    assertEquals(1, open(10).values().stream().distinct().count());
    assertTrue(openings().size() == 1, "buckets cannot keep a client's member");
  }

  @Test
  void leastConnections_countsThoseThatSwitchesTrack() {
    setUp("10.0.0.100");
    net.change(Catalog.POOLS, "p", "lb_method", "LC");
    fixture.pass(1);
    Map<Integer, Host> members = open(10);
    assertEquals(5, at(m1, members));

    members.forEach(
        (port, member) -> {
          if (member.equals(m1)) {
            fixture.assertAnswered(m1, client, port, FIN);
          }
        });
    fixture.pass(4);

    for (int port = 41_000; port < 41_005; port++) {
      assertEquals(m1, fixture.open(client, port));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void downMember_getsNothing_andItsConnectionsAreLedToOthers(String vip) {
    setUp(vip);
    Map<Integer, Host> members = open(10);
    assertNotEquals(0, at(m1, members));

    fixture.setMember("m1", "admin_state", "down");
    fixture.pass(1);

    for (int port = 41_000; port < 41_005; port++) {
      assertEquals(m2, fixture.open(client, port));
    }
    members.forEach(
        (port, member) -> {
          if (member.equals(m1)) {
            assertEquals(m2, fixture.memberOf(client, port, ACK)); // which resets it
          }
        });
  }
}
