package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.PathStats;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * Connections whose client's switch goes and does not come back.
 *
 * <pre>
 *  client 1 --1 s1 2---1 s2 2-- member (m1)
 *                3
 *             neighbour (m2)
 * </pre>
 */
class LostClientsTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host member = Host.of(s2, 2, "10.0.0.11");
  private final Host neighbour = Host.of(s1, 3, "10.0.0.12");

  LostClientsTest(SwitchProfile profile) {
    super(profile);
  }

  @BeforeEach
  void openOneConnectionToEachMember() {
    net.link(s1, 2, s2, 1);
    net.learn(client);
    net.learn(member);
    net.learn(neighbour);
    net.webService(member, neighbour);
    only(fromClient(40_000, SYN), member);
    only(fromClient(40_001, SYN), neighbour);
    fromClient(40_000, ACK);
    fromClient(40_001, ACK);
  }

  private List<Delivery> fromClient(int port, int flags) {
    return net.send(
        client,
        Frames.tcp(client.mac(), EdgeMac.of(client.switchId()), client.ip(), port, VIP, 80, flags));
  }

  private static void only(List<Delivery> deliveries, Host receiver) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(receiver.switchId(), deliveries.get(0).switchId());
    assertEquals(receiver.port(), deliveries.get(0).port().getPortNumber());
  }

  private void lose(DatapathId switchId, FakeRule rule) {
    OFMessage removal =
        BalancerNetwork.FACTORY
            .buildFlowDeleteStrict()
            .setTableId(rule.table())
            .setPriority(rule.priority())
            .setMatch(rule.match())
            .build();
    net.table(switchId).apply(removal);
  }

  private void pass(int seconds) {
    for (int second = 0; second < seconds; second++) {
      net.pass(1);
    }
  }

  private void assertCounts(int far, int near) {
    assertEquals(far, net.stats("m1").activeConnections());
    assertEquals(near, net.stats("m2").activeConnections());
    assertEquals(far + near, net.module.counters().openConnections());
    assertEquals(far + near, net.module.vipConnections().get("v"));
    assertEquals(2 - far - near, net.module.counters().dormantConnections());
    assertEquals(2 - far - near, net.refused(RejectReason.SWITCH_AWAY));
    int onPaths = net.module.paths().stream().mapToInt(PathStats::connections).sum();
    assertEquals(2 * far, onPaths);
  }

  @Test
  void connectionWithinASwitchThatStaysAway_endsAfterTheOutageAndItsIdleTime() {
    net.disconnect(s1);
    pass(44);
    assertCounts(1, 1);

    pass(7);

    assertCounts(1, 0);
  }

  @Test
  void connectionWhoseReplyRuleIsGone_endsTwoRoundsLater() {
    net.disconnect(s1);
    lose(s2, net.rules(s2, CookieKind.REPLY).get(0));
    pass(110);
    assertCounts(1, 0);

    pass(20);

    assertCounts(0, 0);
  }

  @Test
  void connectionWhoseReplyRuleIsStillThere_countsAsLongAsItIs() {
    net.disconnect(s1);
    pass(400);
    assertCounts(1, 0);

    lose(s2, net.rules(s2, CookieKind.REPLY).get(0));
    pass(190);

    assertCounts(0, 0);
  }

  @Test
  void connectionWhoseMembersSwitchIsAwayAsWell_endsAfterTheOutageAndItsIdleTime() {
    net.disconnect(s1);
    net.disconnect(s2);

    pass(51);

    assertCounts(0, 0);
  }

  @Test
  void switchThatIsBackInTime_keepsItsConnections() {
    net.disconnect(s1);
    pass(40);
    net.addSwitch(1);
    pass(400);

    assertCounts(1, 1);
  }

  @Test
  void connectionThatHasEnded_goesOnWhenItsSwitchIsBackAfterAll() {
    net.disconnect(s1);
    net.disconnect(s2);
    pass(60);
    assertCounts(0, 0);

    net.addSwitch(1);
    net.addSwitch(2);
    pass(5);
    only(fromClient(40_000, ACK), member);
    only(fromClient(40_001, ACK), neighbour);

    assertEquals(1, net.stats("m1").activeConnections());
    assertEquals(1, net.stats("m2").activeConnections());
  }

  @Test
  void switchThatGoesAgain_losesItsConnectionsAgain() {
    net.disconnect(s1);
    pass(60);
    net.addSwitch(1);
    pass(5);
    only(fromClient(40_001, ACK), neighbour);
    assertEquals(1, net.stats("m2").activeConnections());

    net.disconnect(s1);
    pass(60);

    assertEquals(0, net.stats("m2").activeConnections());
  }
}
