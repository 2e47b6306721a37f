package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.FIN;
import static io.malob.balancer.ProactiveFixture.MOVE_SECONDS;
import static io.malob.balancer.ProactiveFixture.SYN;
import static io.malob.balancer.ProactiveFixture.SYN_ACK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.malob.algorithm.health.Health;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.CookieKind;
import io.malob.openflow.TableLayout;
import io.malob.openflow.packet.Packet;
import io.malob.testing.EachSwitchProfile;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.match.MatchField;

/** Connections of a proactive VIP with rules of their own: when these end. */
@EachSwitchProfile
class ProactivePinsTest {
  private static final int PIN_SECONDS = 600;

  private final SwitchProfile profile;
  private final ProactiveFixture fixture;
  private final BalancerNetwork net;
  private final Host client;
  private final Host m1;
  private final Host m2;

  ProactivePinsTest(SwitchProfile profile) {
    this.profile = profile;
    fixture = new ProactiveFixture(new BalancerNetwork(profile, Map.of()));
    net = fixture.net;
    client = fixture.client;
    m1 = fixture.m1;
    m2 = fixture.m2;
  }

  @AfterEach
  void assertNothingRefused() {
    assertEquals(List.of(), net.network.refusals());
  }

  /** Opens a connection in each bucket, and lets those of m1 move away under them. */
  private List<Integer> pinAllOf1() {
    fixture.settle();
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.open(client, port)));
    fixture.pass(2);
    fixture.setMember("m1", "weight", "0");
    fixture.pass(2);
    List<Integer> pinned =
        ALL_BUCKETS.stream().filter(port -> members.get(port).equals(m1)).toList();
    acknowledge(pinned);
    fixture.pass(MOVE_SECONDS + 1);
    assertEquals(Map.of(fixture.number("m2"), 64L), fixture.byMember(fixture.s1));
    return pinned;
  }

  private void acknowledge(List<Integer> pinned) {
    pinned.forEach(port -> assertEquals(m1, fixture.memberOf(client, port, ACK)));
  }

  private void end(List<Integer> pinned) {
    for (int port : pinned) {
      fixture.memberOf(client, port, FIN);
      fixture.reply(m1, client, port, FIN);
      fixture.memberOf(client, port, ACK);
    }
  }

  /** A client opens a connection, and retransmits its SYN once if need be; its member. */
  private Host open(int port) {
    if (fixture.send(client, port, SYN).isEmpty()) {
      fixture.pass(1);
    }
    Host member = fixture.memberOf(client, port, SYN);
    fixture.assertAnswered(member, client, port, SYN_ACK);
    assertEquals(member, fixture.memberOf(client, port, ACK));
    return member;
  }

  @Test
  void portOfAPinnedConnection_thatIsUsedAgain_leadsToNoDrainedMember() {
    List<Integer> pinned = pinAllOf1();
    end(pinned);
    fixture.pass(20);

    pinned.forEach(port -> assertEquals(m2, open(port)));
    pinned.forEach(port -> assertEquals(m2, fixture.memberOf(client, port, ACK)));
  }

  @Test
  void portOfAPinnedConnection_thatIsUsedAgain_leadsToNoMemberThatIsDown() {
    List<Integer> pinned = pinAllOf1();
    end(pinned);
    fixture.setMember("m1", "admin_state", "down");
    fixture.pass(2);

    pinned.forEach(port -> assertEquals(m2, open(port)));
  }

  /** The copies of its FIN to the controller have ended with the move. */
  @Test
  void portOfAPinnedConnection_thatHasEndedLongAfterTheMove_leadsToNoDrainedMember() {
    List<Integer> pinned = pinAllOf1();
    for (int minute = 0; minute < 30; minute++) {
      acknowledge(pinned);
      fixture.pass(60);
    }
    end(pinned);
    fixture.pass(20);

    pinned.forEach(port -> assertEquals(m2, open(port)));
  }

  /** The member's process has ended, so that it fails its health checks. */
  @Test
  void portOfAPinnedConnection_thatIsUsedAgain_leadsToNoMemberThatFailsItsChecks() {
    List<Integer> pinned = pinAllOf1();
    end(pinned);
    fixture.setMember("m1", "weight", "1");
    net.monitor("TCP");
    for (int second = 0; second < 20; second++) {
      net.delivered.clear();
      fixture.pass(1);
      List.copyOf(net.delivered).stream()
          .filter(each -> Packet.parse(each.frame()).isTcpSyn())
          .filter(each -> Packet.parse(each.frame()).dstAddress() == m2.ip().getInt())
          .forEach(each -> net.send(m2, Frames.synAck(m2.mac(), each.frame())));
    }
    assertEquals(Health.DOWN, net.stats("m1").health());

    pinned.forEach(port -> assertEquals(m2, open(port)));
  }

  /** Its client has ended it, and the switch has told that. */
  @Test
  void connectionThatHasEnded_isNotPinnedWhenItsRulesExpire() {
    assumeTrue(profile.layout() == TableLayout.FOUR_TABLES); // ends are not told in one table
    pinAllOf1();
    fixture.setMember("m1", "weight", "1");
    fixture.setMember("m2", "weight", "0");
    fixture.pass(3);
    int port = ALL_BUCKETS.get(0) + 1;
    assertEquals(m1, fixture.open(client, port));
    end(List.of(port));
    fixture.pass(MOVE_SECONDS - 5);
    fixture.setMember("m1", "weight", "0");
    fixture.setMember("m2", "weight", "1");
    fixture.pass(2 * MOVE_SECONDS);

    assertEquals(
        List.of(),
        fixture.rules(fixture.s1, CookieKind.REQUEST).stream()
            .filter(rule -> rule.match().get(MatchField.TCP_SRC).getPort() == port)
            .toList());
  }

  /** Its pinned connections are exceptions until they have been idle for long. */
  @Test
  void switchThatMatchesNoFlags_isAskedOnce() {
    assumeTrue(profile.layout() != TableLayout.FOUR_TABLES); // known from the VIP's own rules
    net.refuseTcpFlags();
    pinAllOf1();
    int flagged = flagged();
    fixture.setMember("m1", "weight", "1");
    fixture.setMember("m2", "weight", "0");
    fixture.pass(3);
    ALL_BUCKETS.forEach(port -> fixture.memberOf(client, port, ACK));

    assertEquals(flagged, flagged());
    assertEquals(0, fixture.rules(fixture.s1, CookieKind.END).size());
  }

  private int flagged() {
    return (int)
        net.flowMods.stream()
            .filter(rule -> rule.getMatch().get(MatchField.OVS_TCP_FLAGS) != null)
            .count();
  }

  /** What is left of it then is on no switch for ever. */
  @Test
  void pinnedConnections_goOn_andLeaveNoRules() {
    List<Integer> pinned = pinAllOf1();
    for (int minute = 0; minute < 30; minute++) {
      acknowledge(pinned);
      pinned.forEach(port -> fixture.assertAnswered(m1, client, port, ACK));
      fixture.pass(60);
    }
    end(pinned);
    fixture.pass(2 * PIN_SECONDS + 10);

    assertEquals(List.of(), fixture.rules(fixture.s1, CookieKind.REQUEST));
    assertEquals(List.of(), fixture.rules(fixture.s3, CookieKind.REPLY));
    assertTrue(
        fixture.rules(fixture.s1, CookieKind.VIP).stream()
            .noneMatch(rule -> ConnectionRules.isPinnedSyn(rule.cookie())));
    assertEquals(0, net.module.counters().openConnections());
  }

  /** A member that takes connections keeps those of the ports that its rules lead to it. */
  @Test
  void portOfAPinnedConnection_thatIsUsedAgain_mayStayWithAMemberThatIsBack() {
    List<Integer> pinned = pinAllOf1();
    end(pinned);
    fixture.setMember("m1", "weight", "1");
    fixture.pass(2);

    pinned.forEach(this::open);
  }
}
