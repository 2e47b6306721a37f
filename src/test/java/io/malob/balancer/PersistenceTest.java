package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Algorithm;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.ExplainedConnection.Placed;
import io.malob.openflow.packet.Packet;
import io.malob.testing.SwitchProfile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that stay with their members. */
class PersistenceTest extends OnEachProfile {
  private final PolicyFixture fixture = new PolicyFixture(network());
  private int port = 40_000;

  PersistenceTest(SwitchProfile profile) {
    super(profile);
  }

  @BeforeEach
  void stay() {
    fixture.setPool("session_persistence", "type=SOURCE_IP,timeout=600");
  }

  private static Stream<String> algorithms() {
    return Algorithm.names().stream();
  }

  private void assertPlacedOn(Host member, Host client) {
    fixture.assertReaches(member, fixture.send(client, port++, Packet.TCP_SYN));
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void client_staysWithItsMember(String algorithm) {
    fixture.setPool("lb_method", algorithm);
    Host its =
        fixture.open(port++).get(0).port().getPortNumber() == 2 ? fixture.first : fixture.second;
    for (int i = 0; i < 10; i++) {
      assertPlacedOn(its, fixture.client);
    }
  }

  @Test
  void eachClient_hasItsOwn() {
    assertPlacedOn(fixture.first, fixture.client);
    assertPlacedOn(fixture.second, fixture.other);
    for (int i = 0; i < 3; i++) {
      assertPlacedOn(fixture.first, fixture.client);
      assertPlacedOn(fixture.second, fixture.other);
    }
    ExplainedConnection explained = fixture.explain();
    Placed placed = assertInstanceOf(Placed.class, explained.outcome());
    assertEquals(fixture.first.ip().getInt(), placed.placement().server().address());
    assertTrue(explained.decision().orElseThrow().server().rule().contains("persistence"));
  }

  @Test
  void clientThatWasSilentForTooLong_isPlacedAnew() {
    assertPlacedOn(fixture.first, fixture.client);
    fixture.net.pass(600);
    assertPlacedOn(fixture.first, fixture.client);
    fixture.net.pass(601);

    assertPlacedOn(fixture.second, fixture.client);
    assertPlacedOn(fixture.second, fixture.client);
  }

  @Test
  void clientOfAMemberThatTakesNothingNew_getsAnother_andStaysThere() {
    assertPlacedOn(fixture.first, fixture.client);

    fixture.setMember("m1", "admin_state", "drain");
    assertPlacedOn(fixture.second, fixture.client);
    fixture.setMember("m1", "admin_state", "up");

    for (int i = 0; i < 4; i++) {
      assertPlacedOn(fixture.second, fixture.client);
    }
  }

  @Test
  void clientOfAFullMember_getsAnother() {
    assertPlacedOn(fixture.first, fixture.client);

    fixture.setMember("m1", "connection_limit", "1");

    assertPlacedOn(fixture.second, fixture.client);
  }

  @Test
  void clientOfABackup_goesBackToTheOthers() {
    fixture.setMember("m2", "backup", "true");
    fixture.setMember("m1", "admin_state", "drain");
    assertPlacedOn(fixture.second, fixture.client);
    assertPlacedOn(fixture.second, fixture.client);

    fixture.setMember("m1", "admin_state", "up");

    assertPlacedOn(fixture.first, fixture.client);
  }

  @Test
  void changeOfTheConfiguration_forgetsNobody() {
    assertPlacedOn(fixture.first, fixture.client);

    fixture.setPool("lb_method", "LC+SPH", "name", "other");
    fixture.setMember("m2", "weight", "9");
    fixture.setVip("name", "other");

    assertPlacedOn(fixture.first, fixture.client);
    assertPlacedOn(fixture.first, fixture.client);
  }

  @Test
  void clientWithAnOpenConnection_staysAfterARestart() {
    assertPlacedOn(fixture.first, fixture.other);
    assertPlacedOn(fixture.second, fixture.client);
    PolicyFixture after = fixture.restarted("session_persistence", "SOURCE_IP");
    assertEquals(2, after.net.module.reconcileStats().connectionsAdopted());

    for (int i = 0; i < 3; i++) {
      after.assertReaches(after.second, after.open(port++));
    }
  }

  @Test
  void withoutPersistence_clientsTakeTurns() {
    assertPlacedOn(fixture.first, fixture.client);
    fixture.setPool("session_persistence", null);

    assertPlacedOn(fixture.second, fixture.client);
    assertPlacedOn(fixture.first, fixture.client);
  }
}
