package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.health.Health;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.EchoFrames;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Fields;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.ServerValue;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * Members that are checked.
 *
 * <pre>
 *  client --1 s1 2---1 s2 2-- member 1 (m1)
 *                       3 |
 *                       member 2 (m2)
 * </pre>
 */
class HealthTest extends OnEachProfile {
  /** Where an untagged frame has the TCP sequence number. */
  private static final int SEQUENCE_AT = 38;

  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host first = Host.of(s2, 2, "10.0.0.11");
  private final Host second = Host.of(s2, 3, "10.0.0.12");

  HealthTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 1);
    net.learn(client);
    net.learn(first);
    net.learn(second);
  }

  /** What members are asked in the next second; each answer to it is up to the test. */
  private List<Delivery> ask() {
    net.delivered.clear();
    net.pass(1);
    return net.delivered.stream().filter(HealthTest::isQuestion).toList();
  }

  private static boolean isQuestion(Delivery delivery) {
    Packet packet = Packet.parse(delivery.frame());
    return packet.isTcpSyn()
        || (packet.kind() == Packet.Kind.ICMP && packet.icmpType() == EchoFrames.ICMP_ECHO_REQUEST);
  }

  private Host hostOf(Delivery delivery) {
    return delivery.port().getPortNumber() == first.port() ? first : second;
  }

  private List<Delivery> answer(Delivery probe) {
    return net.send(hostOf(probe), Frames.synAck(hostOf(probe).mac(), probe.frame()));
  }

  private void refuse(Delivery probe) {
    net.send(hostOf(probe), Replies.tcpReset(Packet.parse(probe.frame())));
  }

  private List<Delivery> open(int srcPort) {
    return net.send(
        client,
        Frames.tcp(
            client.mac(),
            EdgeMac.of(client.switchId()),
            client.ip(),
            srcPort,
            VIP,
            80,
            Packet.TCP_SYN));
  }

  private Health health(String member) {
    return net.stats(member).health();
  }

  /** For some seconds, the second member answers and the first one does not. */
  private void firstIsSilent(int seconds) {
    for (int i = 0; i < seconds; i++) {
      ask().stream().filter(each -> hostOf(each).equals(second)).forEach(this::answer);
    }
  }

  @Test
  void check_isHalfAConnectionFromTheVipToTheMembersPort() {
    net.webService(first);
    net.monitor("TCP");

    List<Delivery> probes = ask();

    assertEquals(1, probes.size());
    Packet syn = Packet.parse(probes.get(0).frame());
    assertEquals(s2, probes.get(0).switchId());
    assertEquals(first.mac(), syn.dstMac());
    assertEquals(VIP.getInt(), syn.srcAddress());
    assertEquals(8080, syn.dstPort());
    List<Delivery> reset = answer(probes.get(0));
    assertEquals(1, reset.size());
    assertEquals(first.port(), reset.get(0).port().getPortNumber());
    assertTrue(Packet.parse(reset.get(0).frame()).hasTcpFlags(Packet.TCP_RST));
    assertEquals(0, net.refused(RejectReason.UNKNOWN_CONNECTION));
  }

  @Test
  void memberThatIsSilent_isDownAfterAsManyChecksAsTheMonitorSays_andUpAgain() {
    net.webService(first, second);
    net.monitor("TCP");
    firstIsSilent(2);
    assertEquals(Health.UP, health("m1"));

    firstIsSilent(3);

    assertEquals(Health.DOWN, health("m1"));
    assertEquals(Health.UP, health("m2"));
    for (int port = 40_000; port < 40_004; port++) {
      assertEquals(second.port(), open(port).get(0).port().getPortNumber());
    }
    ask().forEach(this::answer);
    ask().forEach(this::answer);
    ask();
    assertEquals(Health.DOWN, health("m1"));
    for (int i = 0; i < 6; i++) {
      ask().forEach(this::answer);
    }
    assertEquals(Health.UP, health("m1"));
    open(40_010);
    open(40_011);
    assertEquals(1, net.stats("m1").totalConnections());
  }

  @Test
  void memberThatRefuses_isDownWithoutWaitingForTheTimeOut() {
    net.webService(first);
    net.monitor("TCP", "attempts_before_deactivation", "1");
    ask().forEach(this::refuse);

    net.passMillis(100);

    assertEquals(Health.DOWN, health("m1"));
    assertEquals(client.port(), open(40_000).get(0).port().getPortNumber());
    assertEquals(1, net.refused(RejectReason.NO_MEMBER));
  }

  private static boolean isFromTheVip(Delivery probe) {
    return Packet.parse(probe.frame()).srcAddress() == VIP.getInt();
  }

  /** A kernel drops packets from an address of its own, as a member of LVS has on lo. */
  private void firstHasTheVipsAddress(int seconds) {
    for (int i = 0; i < seconds; i++) {
      ask().stream()
          .filter(probe -> hostOf(probe).equals(second) || !isFromTheVip(probe))
          .forEach(this::answer);
      assertEquals(Health.UP, health("m1"));
    }
  }

  @Test
  void memberThatHasTheVipsAddress_isCheckedFromAnotherVip() {
    net.webService(first, second);
    net.create(Catalog.VIPS, "id", "other", "address", "10.0.0.101");
    net.monitor("TCP");

    firstHasTheVipsAddress(20);

    List<Delivery> probes = Stream.of(ask(), ask()).flatMap(List::stream).toList();
    assertEquals(2, probes.size());
    probes.forEach(probe -> assertEquals(hostOf(probe).equals(second), isFromTheVip(probe)));
    for (int i = 0; i < 10; i++) {
      ask(); // no answers
    }
    assertEquals(Health.DOWN, health("m1"));
    assertEquals(Health.DOWN, health("m2"));
    for (int i = 0; i < 12; i++) {
      ask().stream()
          .filter(probe -> hostOf(probe).equals(second) == isFromTheVip(probe))
          .forEach(this::answer);
    }
    assertEquals(Health.UP, health("m1"));
    assertEquals(Health.UP, health("m2"));
  }

  @Test
  void memberThatHasTheVipsAddress_isPingedFromAnotherVip() {
    net.webService(first, second);
    net.create(Catalog.VIPS, "id", "other", "address", "10.0.0.101");
    net.monitor("PING");

    for (int i = 0; i < 20; i++) {
      ask().stream()
          .filter(probe -> hostOf(probe).equals(second) || !isFromTheVip(probe))
          .forEach(this::answerEcho);
      assertEquals(Health.UP, health("m1"));
    }
  }

  private void answerEcho(Delivery probe) {
    Packet echo = Packet.parse(probe.frame());
    net.send(
        hostOf(probe),
        Frames.echo(
            EchoFrames.ICMP_ECHO_REPLY,
            hostOf(probe).mac(),
            echo.srcMac(),
            hostOf(probe).ip(),
            IPv4Address.of(echo.srcAddress()),
            echo.icmpIdentifier() << 16 | echo.icmpSequence()));
  }

  /** The rules of a proactive VIP lead packets to its members. */
  @Test
  void memberThatHasTheVipsAddress_isDownWithoutAnotherReactiveVip() {
    net.webService(first, second);
    net.create(
        Catalog.VIPS,
        "id",
        "other",
        "address",
        "10.0.0.101",
        "protocol",
        "tcp",
        "port",
        "80",
        "placement",
        "proactive");
    net.monitor("TCP");
    firstIsSilent(5);
    assertEquals(Health.DOWN, health("m1"));
    assertTrue(Stream.of(ask(), ask()).flatMap(List::stream).allMatch(HealthTest::isFromTheVip));
  }

  @Test
  void newMember_joinsWithItsFirstPass() {
    net.webService(first);
    net.monitor("TCP");
    net.create(
        Catalog.MEMBERS,
        "id",
        "n",
        "address",
        second.ip().toString(),
        "port",
        "80",
        "pool_id",
        "p");
    assertEquals(Health.CHECKING, health("n"));
    for (int port = 40_000; port < 40_004; port++) {
      assertEquals(first.port(), open(port).get(0).port().getPortNumber());
    }

    ask().forEach(this::answer);
    net.passMillis(100);

    assertEquals(Health.UP, health("n"));
    open(40_010);
    open(40_011);
    assertEquals(1, net.stats("n").totalConnections());
  }

  @Test
  void memberThatDies_hasItsConnectionsReset() {
    net.webService(first, second);
    net.monitor("TCP");
    open(40_000);
    open(40_001);
    assertEquals(1, net.stats("m1").activeConnections());

    firstIsSilent(6);

    assertEquals(0, net.stats("m1").activeConnections());
    assertEquals(1, net.stats("m2").activeConnections());
  }

  @Test
  void memberThatDies_keepsItsConnectionsWhereTheMonitorSaysSo() {
    net.webService(first, second);
    net.monitor("TCP", "on_down", "keep");
    open(40_000);
    open(40_001);

    firstIsSilent(6);

    assertEquals(Health.DOWN, health("m1"));
    assertEquals(1, net.stats("m1").activeConnections());
  }

  /** More likely the controller hears nobody. */
  @Test
  void poolThatSeemsToDieAsAWhole_keepsItsConnections() {
    net.webService(first, second);
    net.monitor("TCP");
    open(40_000);
    open(40_001);

    for (int i = 0; i < 6; i++) {
      ask();
    }

    assertEquals(Health.DOWN, health("m1"));
    assertEquals(Health.DOWN, health("m2"));
    assertEquals(2, net.stats("m1").activeConnections() + net.stats("m2").activeConnections());
  }

  /** It goes on forwarding, and so may the member. */
  @Test
  void memberAtASwitchWithoutController_isNotJudged() {
    net.webService(first);
    net.monitor("TCP");
    net.deactivate(s2);

    for (int i = 0; i < 8; i++) {
      assertEquals(List.of(), ask());
    }

    assertEquals(Health.UP, health("m1"));
  }

  @Test
  void memberThatIsForgottenWithItsSwitch_isNotJudged() {
    net.webService(first);
    net.monitor("TCP");
    answer(ask().get(0));
    net.disconnect(s2);
    net.forget(first);

    for (int i = 0; i < 8; i++) {
      assertEquals(List.of(), ask());
    }

    assertEquals(Health.UP, health("m1"));
  }

  @Test
  void questionThatIsOnItsWayWhenTheSwitchGoes_isNotJudged() {
    net.webService(first);
    net.monitor("TCP", "attempts_before_deactivation", "1");
    assertFalse(ask().isEmpty());
    net.disconnect(s2);

    ask();

    assertEquals(Health.UP, health("m1"));
  }

  private void bringBackTheSwitchOfAMemberThatIsForgotten() {
    net.webService(first);
    net.monitor("TCP", "attempts_before_deactivation", "1");
    answer(ask().get(0));
    net.disconnect(s2);
    net.forget(first);
    ask();
    net.addSwitch(2);
  }

  @Test
  void memberWhoseSwitchIsBack_isNotJudgedUntilItIsFoundAgain() {
    bringBackTheSwitchOfAMemberThatIsForgotten();

    ask();
    ask();

    assertEquals(Health.UP, health("m1"));
  }

  @Test
  void memberThatIsNotFoundAgainAfterItsSwitchIsBack_isDown() {
    bringBackTheSwitchOfAMemberThatIsForgotten();

    for (int i = 0; i < 10; i++) {
      ask();
    }

    assertEquals(Health.DOWN, health("m1"));
  }

  @Test
  void controllerThatWasAway_doesNotCountThatAsSilence() {
    net.webService(first);
    net.monitor("TCP", "attempts_before_deactivation", "1");
    List<Delivery> probes = ask();

    net.pass(10);

    assertEquals(Health.UP, health("m1"));
    answer(probes.get(0));
    net.passMillis(1_100);
    assertEquals(Health.UP, health("m1"));
  }

  @Test
  void answerWithAnotherSequenceNumber_countsForNothing() {
    net.webService(first);
    net.monitor("TCP", "attempts_before_deactivation", "1");
    Delivery probe = ask().get(0);
    byte[] forged = Replies.tcpReset(Packet.parse(probe.frame()));
    ByteBuffer.wrap(forged).putInt(SEQUENCE_AT + 4, 77);

    net.send(first, forged);
    net.passMillis(100);

    assertEquals(Health.UP, health("m1"));
  }

  @Test
  void ping_isAnsweredByEcho() {
    net.webService(first);
    net.monitor("PING", "attempts_before_deactivation", "1");
    Delivery probe = ask().get(0);
    Packet echo = Packet.parse(probe.frame());
    assertEquals(EchoFrames.ICMP_ECHO_REQUEST, echo.icmpType());

    net.send(
        first,
        Frames.echo(
            EchoFrames.ICMP_ECHO_REPLY,
            first.mac(),
            echo.srcMac(),
            first.ip(),
            VIP,
            echo.icmpIdentifier() << 16 | echo.icmpSequence()));
    net.pass(1);
    assertEquals(Health.UP, health("m1"));

    for (int i = 0; i < 4; i++) {
      ask();
    }
    assertEquals(Health.DOWN, health("m1"));
  }

  @Test
  void memberWhoseAgentIsSilent_isDown() {
    net.webService(first, second);
    net.monitor("AGENT", "attempts_before_deactivation", "1");
    net.servers.report(
        second.ip(),
        new ServerTracker.Report(
            ImmutableMap.of(ServerValue.CPU, 0.5), ImmutableMap.of(), net.nanoTime.get()));

    net.pass(1);

    assertEquals(Health.DOWN, health("m1"));
    assertEquals(Health.UP, health("m2"));
  }

  @Test
  void monitorThatIsDown_doesNotCheck() throws Exception {
    net.webService(first);
    net.monitor("TCP");
    assertFalse(ask().isEmpty());

    net.module.catalog().update(Catalog.MONITORS, "h", Fields.of("admin_state", "down"));

    for (int i = 0; i < 5; i++) {
      assertEquals(List.of(), ask());
    }
    assertEquals(Health.UNCHECKED, health("m1"));
    net.module.catalog().update(Catalog.MONITORS, "h", Fields.of("admin_state", "up"));
    assertFalse(ask().isEmpty());
  }

  @Test
  void membersPortForChecks_overridesTheMonitors() throws Exception {
    net.webService(first, second);
    net.module.catalog().update(Catalog.MEMBERS, "m1", Fields.of("monitor_port", "8081"));
    net.monitor("TCP", "port", "8082");

    List<Delivery> probes = ask();

    assertEquals(2, probes.size());
    for (Delivery probe : probes) {
      int expected = hostOf(probe).equals(first) ? 8081 : 8082;
      assertEquals(expected, Packet.parse(probe.frame()).dstPort());
    }
  }

  @Test
  void poolWithoutMonitor_isNotChecked() {
    net.webService(first);
    assertEquals(List.of(), ask());
    assertEquals(Health.UNCHECKED, health("m1"));
    net.monitor("TCP");
    assertFalse(ask().isEmpty());

    net.delete(Catalog.MONITORS, "h");

    for (int i = 0; i < 5; i++) {
      assertEquals(List.of(), ask());
    }
    assertEquals(Health.UNCHECKED, health("m1"));
  }
}
