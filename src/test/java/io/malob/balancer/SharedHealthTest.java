package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.health.Health;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.EjectedMember;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.network.ServerTracker;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * Two controllers that tell each other the health of members.
 *
 * <pre>
 *  client --1 s1 2---1 s2 2-- member 1 (m1)
 *                       3 |
 *                       member 2 (m2)
 * </pre>
 */
class SharedHealthTest {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final DatapathId S1 = DatapathId.of(1);
  private static final DatapathId S2 = DatapathId.of(2);

  private final Host client = Host.of(S1, 1, "10.0.0.1");
  private final Host m1 = Host.of(S2, 2, "10.0.0.11");
  private final Host m2 = Host.of(S2, 3, "10.0.0.12");

  /** {@code b} is master of the members' switch. */
  private ControllerPair spread() {
    ControllerPair pair = new ControllerPair(Map.of(), true);
    pair.addSwitch(1);
    pair.addSwitchOfB(2);
    return withService(pair);
  }

  /** {@code a} is master of all switches. */
  private ControllerPair single() {
    ControllerPair pair = new ControllerPair(Map.of());
    pair.addSwitch(1);
    pair.addSwitch(2);
    return withService(pair);
  }

  private ControllerPair withService(ControllerPair pair) {
    connect(pair);
    for (BalancerNetwork each : List.of(pair.a, pair.b)) {
      each.create(
          Catalog.MONITORS,
          "pool_id",
          "p",
          "type",
          "TCP",
          "delay",
          "2",
          "timeout",
          "1",
          "attempts_before_deactivation",
          "2",
          "rise",
          "2");
    }
    return pair;
  }

  private void connect(ControllerPair pair) {
    pair.link(S1, 2, S2, 1);
    pair.learn(m1);
    pair.learn(m2);
    pair.webService(m1, m2);
  }

  /** For some seconds, these members answer the probes of both controllers. */
  private void pass(ControllerPair pair, int seconds, Host... alive) {
    for (int i = 0; i < seconds; i++) {
      pair.a.delivered.clear();
      pair.b.delivered.clear();
      pair.pass(1);
      for (BalancerNetwork each : List.of(pair.a, pair.b)) {
        for (Delivery probe : probes(each)) {
          for (Host member : alive) {
            if (probe.port().getPortNumber() == member.port()) {
              each.send(member, Frames.synAck(member.mac(), probe.frame()));
            }
          }
        }
      }
    }
    pair.talk();
  }

  private static List<Delivery> probes(BalancerNetwork controller) {
    return controller.delivered.stream()
        .filter(delivery -> Packet.parse(delivery.frame()).isTcpSyn())
        .toList();
  }

  /** The agent of a member's server tells its controller that the service refuses connections. */
  private static void reportRefusals(ControllerPair pair, Host member) {
    for (int i = 0; i < 3; i++) {
      pair.a.servers.report(
          member.ip(),
          new ServerTracker.Report(
              ImmutableMap.of(), Optional.of(false), ImmutableMap.of(), pair.nanoTime.get()));
    }
  }

  private int memberOfNewConnection(BalancerNetwork controller, int port) {
    List<Delivery> out =
        controller.send(
            client,
            Frames.tcp(
                client.mac(),
                EdgeMac.of(client.switchId()),
                client.ip(),
                port,
                VIP,
                80,
                Packet.TCP_SYN));
    assertEquals(1, out.size());
    return out.get(0).port().getPortNumber();
  }

  private static List<Health> health(BalancerNetwork controller) {
    return List.of(controller.stats("m1").health(), controller.stats("m2").health());
  }

  @Test
  void verdictOfTheMembersMaster_isThatOfTheOthers() {
    ControllerPair pair = spread();
    pair.meet();
    pass(pair, 6, m2);

    assertEquals(List.of(Health.DOWN, Health.UP), health(pair.b));
    assertEquals(List.of(Health.DOWN, Health.UP), health(pair.a));
    assertEquals(List.of(), probes(pair.a));
    for (int port = 40_000; port < 40_004; port++) {
      assertEquals(m2.port(), memberOfNewConnection(pair.a, port));
    }

    pass(pair, 8, m1, m2);

    assertEquals(List.of(Health.UP, Health.UP), health(pair.a));
  }

  @Test
  void withoutAnyVerdict_theOthersDoNotShowMembersAsUp() {
    ControllerPair pair = spread();
    pass(pair, 6, m2);
    assertEquals(List.of(Health.DOWN, Health.UP), health(pair.b));
    assertEquals(List.of(Health.UNCHECKED, Health.UNCHECKED), health(pair.a));

    pair.meet();

    assertEquals(List.of(Health.DOWN, Health.UP), health(pair.a));
  }

  @Test
  void changesWhileTheStreamIsBroken_areToldWhenItIsBack() {
    ControllerPair pair = spread();
    pair.meet();
    pass(pair, 6, m2);
    pair.part();
    pass(pair, 10, m1);
    assertEquals(List.of(Health.UP, Health.DOWN), health(pair.b));
    assertEquals(List.of(Health.DOWN, Health.UP), health(pair.a), "the latest that it was told");

    pair.meet();

    assertEquals(List.of(Health.UP, Health.DOWN), health(pair.a));
  }

  @Test
  void verdictThatDoesNotFitIntoTheStream_isToldLater() {
    ControllerPair pair = spread();
    pair.meet();
    pass(pair, 6, m1, m2);
    assertEquals(List.of(Health.UP, Health.UP), health(pair.a));
    pair.peersOfB.room = 0;
    pass(pair, 6, m2);
    assertEquals(List.of(Health.UP, Health.UP), health(pair.a));

    pair.peersOfB.room = Integer.MAX_VALUE;
    pair.talk();

    assertEquals(List.of(Health.DOWN, Health.UP), health(pair.a));
  }

  @Test
  void newMaster_goesOnWithTheVerdicts() {
    ControllerPair pair = single();
    pair.meet();
    pass(pair, 6, m2);
    assertEquals(List.of(Health.DOWN, Health.UP), health(pair.b));
    assertEquals(List.of(), probes(pair.b));

    pair.kill();
    pair.takeOver();

    assertEquals(List.of(Health.DOWN, Health.UP), health(pair.b));
    for (int port = 40_000; port < 40_004; port++) {
      assertEquals(m2.port(), memberOfNewConnection(pair.b, port));
    }
    pass(pair, 3, m1, m2);
    assertEquals(List.of(Health.DOWN, Health.UP), health(pair.b), "one pass is not enough");
    pass(pair, 6, m1);
    assertEquals(List.of(Health.UP, Health.DOWN), health(pair.b));
  }

  @Test
  void formerMaster_followsTheNextOne() {
    ControllerPair pair = single();
    pair.meet();
    pass(pair, 6, m2);
    pair.handOver();

    pass(pair, 10, m1);

    assertEquals(List.of(), probes(pair.a));
    assertEquals(List.of(Health.UP, Health.DOWN), health(pair.b));
    assertEquals(List.of(Health.UP, Health.DOWN), health(pair.a));
  }

  @Test
  void memberThatIsNew_takesNoConnectionBeforeItsMasterHasSeenItPass() {
    ControllerPair pair = spread();
    pair.meet();
    pass(pair, 6, m1, m2);
    Host m3 = Host.of(S2, 4, "10.0.0.13");
    pair.learn(m3);
    for (BalancerNetwork each : List.of(pair.a, pair.b)) {
      each.create(
          Catalog.MEMBERS, "id", "m3", "address", "10.0.0.13", "port", "8080", "pool_id", "p");
    }
    pair.talk();
    assertEquals(Health.CHECKING, pair.a.stats("m3").health());

    pass(pair, 3, m1, m2, m3);

    assertEquals(Health.UP, pair.b.stats("m3").health());
    assertEquals(Health.UP, pair.a.stats("m3").health());
  }

  /** The same without a monitor. */
  private ControllerPair unmonitored() {
    ControllerPair pair = new ControllerPair(Map.of(), true);
    pair.addSwitch(1);
    pair.addSwitchOfB(2);
    connect(pair);
    pair.meet();
    pair.pass(1); // the topology has the switches of both
    return pair;
  }

  private List<Delivery> send(ControllerPair pair, int port, int flags) {
    return pair.a.send(
        client,
        Frames.tcp(client.mac(), EdgeMac.of(client.switchId()), client.ip(), port, VIP, 80, flags));
  }

  /** Two connections, one to each member. */
  private void open(ControllerPair pair, int port, Host... alive) {
    for (int each = port; each < port + 2; each++) {
      Delivery syn = send(pair, each, Packet.TCP_SYN).get(0);
      for (Host member : alive) {
        if (syn.port().getPortNumber() == member.port()) {
          pair.a.send(member, Frames.synAck(member.mac(), syn.frame()));
        }
      }
    }
    pair.talk();
    pair.pass(1);
  }

  /** The same; the SYNs come again after a second, and only the second member answers. */
  private void openInVain(ControllerPair pair, int port) {
    open(pair, port, m2);
    open(pair, port, m2);
    pair.pass(1);
  }

  @Test
  void memberThatLeavesTheOwnersClientsWithoutAnAnswer_isEjectedByItsMaster() {
    ControllerPair pair = unmonitored();
    for (int port = 40_000; port < 40_006; port += 2) {
      assertEquals(List.of(Health.UNCHECKED, Health.UNCHECKED), health(pair.a));
      openInVain(pair, port);
    }

    assertEquals(List.of(Health.EJECTED, Health.UNCHECKED), health(pair.b));
    assertEquals(List.of(Health.EJECTED, Health.UNCHECKED), health(pair.a));
    assertEquals(1, pair.b.module.ejections().get("no_reply"));
    assertEquals("no_reply", pair.a.module.ejected().get("m1").why());
  }

  @Test
  void ownersConnectionThatEndsWell_isGoodForFailuresBefore() {
    ControllerPair pair = unmonitored();
    openInVain(pair, 40_000);
    openInVain(pair, 40_002);
    open(pair, 40_004, m1, m2);
    send(pair, 40_004, Packet.TCP_FIN | Packet.TCP_ACK);
    send(pair, 40_005, Packet.TCP_FIN | Packet.TCP_ACK);
    pair.pass(1);
    openInVain(pair, 40_006);

    assertEquals(Map.of(), pair.b.module.ejected());
  }

  @Test
  void ejectionByOneController_countsForTheOthers() {
    ControllerPair pair = single();
    pair.meet();
    pass(pair, 6, m1, m2);
    reportRefusals(pair, m1);

    assertEquals(List.of(Health.EJECTED, Health.UP), health(pair.a));
    assertEquals(List.of(Health.EJECTED, Health.UP), health(pair.b));
    EjectedMember told = pair.b.module.ejected().get("m1");
    assertEquals("refuses", told.why());
    assertEquals(1, told.times());
    assertEquals(1, pair.a.module.ejections().get("refuses"));
    assertEquals(0, pair.b.module.ejections().get("refuses"), "counted where it was detected");

    pass(pair, 31, m1, m2);

    assertEquals(List.of(Health.UP, Health.UP), health(pair.b));
  }

  @Test
  void ejectionBeforeTheControllersMeet_isTold() {
    ControllerPair pair = single();
    pass(pair, 6, m1, m2);
    reportRefusals(pair, m1);
    assertTrue(pair.b.module.ejected().isEmpty());

    pair.meet();

    assertEquals("refuses", pair.b.module.ejected().get("m1").why());
  }
}
