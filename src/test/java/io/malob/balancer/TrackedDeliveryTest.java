package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.SYN;
import static io.malob.balancer.ProactiveFixture.SYN_ACK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.CookieKind;
import io.malob.testing.FakeConntrack;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;

/** Packets of tracked connections that the controller delivers, over both versions of IP. */
class TrackedDeliveryTest {
  private static final int PORT = 40_000;

  private ProactiveFixture fixture;

  private void setUp(String vip) {
    fixture = ProactiveFixture.tracked(vip);
  }

  @AfterEach
  void assertNothingRefused() {
    assertEquals(List.of(), fixture.net.network.refusals());
  }

  /** Switches forget connections that are not answered in half a minute. */
  private void assertKnownAsAnswered(DatapathId at) {
    List<FakeConntrack.Connection> known = fixture.net.table(at).conntrack().connections();
    assertTrue(known.stream().anyMatch(each -> each.zone() == 7_777 && each.isAnswered()));
  }

  private void makeMembersSwitchAnEdge() {
    Host near = fixture.host(3, 5, 5);
    fixture.net.learn(near);
    fixture.askForVip(near);
    fixture.pass(4);
  }

  private Host behindNewRouter(DatapathId at) {
    return fixture.behind(fixture.router(at, 4), 1);
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.100, 1", "10.0.0.100, 3", "fd00::64, 1", "fd00::64, 3"})
  void answerToAnUnknownNextHop_isSeenByTheEdgeOfItsConnection(String vip, long edge) {
    setUp(vip);
    makeMembersSwitchAnEdge();
    Host behind = behindNewRouter(DatapathId.of(edge));
    Host member = fixture.memberOf(behind, PORT, SYN);

    fixture.assertAnswered(member, behind, PORT, SYN_ACK);

    assertKnownAsAnswered(behind.switchId());
  }

  /** The switches on both paths have started again. */
  private void loseLabels() {
    for (DatapathId at : List.of(fixture.s2, fixture.s4)) {
      fixture.rules(at, CookieKind.LABEL).forEach(fixture.net.table(at)::remove);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void connection_goesOn_whenItsLabelsAreLost(String vip) {
    setUp(vip);
    Host member = fixture.open(fixture.client, PORT);
    loseLabels();

    assertEquals(member, fixture.memberOf(fixture.client, PORT, ACK));
    fixture.assertAnswered(member, fixture.client, PORT, ACK);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void connection_isOpened_whileLabelsAreLost(String vip) {
    setUp(vip);
    loseLabels();

    Host member = fixture.open(fixture.client, PORT);

    fixture.assertAnswered(member, fixture.client, PORT, ACK);
    assertKnownAsAnswered(fixture.s1);
  }

  /** A download whose client only receives: only its new switch can tell that it has moved. */
  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void replies_reachAClientThatHasMoved_andItsAnswersTheirMember(String vip) {
    setUp(vip);
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.open(fixture.client, port)));
    fixture.setMember("m1", "weight", "0");
    Host moved = new Host(fixture.s2, 5, fixture.client.mac(), fixture.client.address());
    fixture.net.learn(moved);
    fixture.pass(4);

    members.forEach(
        (port, member) -> {
          fixture.assertAnswered(member, moved, port, ACK);
          assertEquals(member, fixture.memberOf(moved, port, ACK));
        });
    fixture.pass(1);

    fixture.withoutController();
    members.forEach((port, member) -> fixture.assertAnswered(member, moved, port, ACK));
  }
}
