package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.ProactiveStats.Problem.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A tracked VIP at a switch whose table of connections is full. */
class TrackedFullTableTest {
  private BalancerNetwork net;
  private ProactiveFixture fixture;
  private Host client;

  private void setUp(String vip, String protocol) {
    take(ProactiveFixture.tracked(vip, "protocol", protocol));
  }

  private void take(ProactiveFixture now) {
    fixture = now;
    net = now.net;
    client = now.client;
  }

  @AfterEach
  void assertNothingRefused() {
    assertEquals(List.of(), net.network.refusals());
  }

  private void setMax(int connections) {
    net.table(fixture.s1).conntrack().setMaxConnections(connections);
  }

  private int known() {
    return net.module.connections(any -> true, null, 1_000).connections().size();
  }

  private Optional<Kind> problem() {
    return fixture
        .edge(fixture.s1)
        .flatMap(ProactiveStats.Edge::problem)
        .map(ProactiveStats.Problem::kind);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void connections_thatDoNotFit_arePlacedByTheController(String vip) {
    setUp(vip, "tcp");
    Map<Integer, Host> members = new HashMap<>();
    setMax(20);
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.open(client, port)));
    assertEquals(ALL_BUCKETS.size() - 20, known());

    fixture.withoutController();

    members.forEach(
        (port, member) -> {
          assertEquals(member, fixture.memberOf(client, port, ACK));
          fixture.assertAnswered(member, client, port, ACK);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void datagrams_thatDoNotFit_arePlacedByTheController(String vip) {
    setUp(vip, "udp");
    setMax(0);
    Host member = fixture.memberOfDatagram(client, 40_000);
    assertEquals(1, known());

    fixture.withoutController();

    assertEquals(member, fixture.memberOfDatagram(client, 40_000));
    ProactiveFixture.assertReaches(client, fixture.replyDatagram(member, client, 40_000));
  }

  @Test
  void fullTable_isAProblem_untilAMinuteAfterTheLastConnection() {
    setUp("10.0.0.100", "tcp");
    setMax(20);
    ALL_BUCKETS.stream().limit(20).forEach(port -> fixture.open(client, port));
    fixture.pass(3);
    assertEquals(Optional.empty(), problem());

    fixture.open(client, 50_000);
    fixture.pass(3);
    assertEquals(Optional.of(Kind.TRACKING_FULL), problem());
    assertEquals(ProactiveStats.State.PROACTIVE, fixture.edge(fixture.s1).orElseThrow().state());

    fixture.pass(56);
    assertEquals(Optional.of(Kind.TRACKING_FULL), problem());
    fixture.pass(4);
    assertEquals(Optional.empty(), problem());
  }

  @Test
  void nextController_doesNotTakeEarlierConnectionsForNewOnes() {
    setUp("10.0.0.100", "tcp");
    setMax(0);
    fixture.open(client, 50_000);
    fixture.pass(3);
    assertEquals(Optional.of(Kind.TRACKING_FULL), problem());

    take(fixture.restarted("placement", "tracked", "auto_per_second", "0"));
    fixture.pass(10);
    assertEquals(Optional.empty(), problem());

    fixture.open(client, 50_002);
    fixture.pass(3);
    assertEquals(Optional.of(Kind.TRACKING_FULL), problem());
  }
}
