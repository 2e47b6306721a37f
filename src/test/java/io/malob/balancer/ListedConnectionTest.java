package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.PathStats;
import io.malob.balancer.api.PlacedConnection;
import io.malob.balancer.api.PlacedConnection.Phase;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * What the module lists of connections that packets have opened.
 *
 * <pre>
 *  client 1 --1 s1 2---1 s2 2---1 s3 2-- member
 *  local  --3 |
 * </pre>
 */
class ListedConnectionTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final DatapathId s3 = net.addSwitch(3);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host local = Host.of(s1, 3, "10.0.0.13");
  private final Host far = Host.of(s3, 2, "10.0.0.11");

  ListedConnectionTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 1);
    net.link(s2, 2, s3, 1);
  }

  private void fromClient(int srcPort, int flags) {
    net.send(
        client,
        Frames.tcp(
            client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, 80, flags));
  }

  private PlacedConnection only() {
    List<PlacedConnection> all = net.module.connections(any -> true, null, 10).connections();
    assertEquals(1, all.size());
    return all.get(0);
  }

  @Test
  void openConnection_isListedWithItsPathsAndLabels() {
    net.learn(far);
    net.webService(far);
    net.nanoTime.set(5_000);
    fromClient(40_000, Packet.TCP_SYN);
    net.nanoTime.set(7_000);

    PlacedConnection listed = only();
    assertEquals("6 10.0.0.1:40000 -> 10.0.0.100:80", listed.request().toString());
    assertEquals(
        net.module.catalog().snapshot().members().get("m1").number(), listed.server().number());
    assertEquals(net.module.catalog().snapshot().vips().get("v").number(), listed.vipNumber());
    assertEquals(1, listed.client().port().getPortNumber());
    assertEquals(Phase.OPEN, listed.phase());
    assertEquals(2_000, listed.ageNanos());
    PlacedConnection.Route route = listed.route();
    assertEquals(List.of(s1, s2, s3), route.request().switches());
    assertEquals(List.of(s3, s2, s1), route.reply().switches());
    assertNotEquals(route.requestLabel(), route.replyLabel());
    assertEquals(
        Optional.of(route.requestLabel()),
        net.module.paths().stream()
            .filter(path -> path.path().equals(route.request()))
            .map(PathStats::label)
            .findFirst());
  }

  @Test
  void connectionWithinOneSwitch_hasNoLabels() {
    net.learn(local);
    net.webService(local);
    fromClient(40_000, Packet.TCP_SYN);

    PlacedConnection.Route route = only().route();
    assertEquals(List.of(s1), route.request().switches());
    assertNull(route.requestLabel());
    assertNull(route.replyLabel());
  }

  @Test
  void endedThenDormant_isListedUntilItIsForgotten() {
    assumeEndsAreTold();
    net.learn(far);
    net.webService(far);
    fromClient(40_000, Packet.TCP_SYN);
    fromClient(40_000, Packet.TCP_FIN | Packet.TCP_ACK);
    assertEquals(Phase.ENDED, only().phase());

    FakeRule rule = net.rules(s1, 1).get(0);
    net.timeOut(s1, rule);
    assertEquals(Phase.DORMANT, only().phase());
    assertNull(only().route());

    net.delete(Catalog.MEMBERS, "m1");
    assertEquals(List.of(), net.module.connections(any -> true, null, 10).connections());
  }

  @Test
  void synOnThePortOfAnEndedConnection_beginsItsAgeAnew() {
    assumeEndsAreTold();
    net.learn(far);
    net.webService(far);
    fromClient(40_000, Packet.TCP_SYN);
    fromClient(40_000, Packet.TCP_FIN | Packet.TCP_ACK);
    net.nanoTime.set(9_000);
    fromClient(40_000, Packet.TCP_SYN);
    net.nanoTime.set(9_500);

    assertEquals(Phase.OPEN, only().phase());
    assertEquals(500, only().ageNanos());
  }
}
