package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableMap;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.network.ServerTracker;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/** What agents report of connections that did not come through a VIP. */
class DirectConnectionsTest {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");

  private final BalancerNetwork net = new BalancerNetwork();
  private Host client;
  private Host first;
  private Host second;
  private int port = 40_000;

  @BeforeEach
  void setUp() {
    DatapathId sw = net.addSwitch(1);
    client = Host.of(sw, 1, "10.0.0.1");
    first = Host.of(sw, 2, "10.0.0.11");
    second = Host.of(sw, 3, "10.0.0.12");
    net.learn(first);
    net.learn(second);
    net.create(
        Catalog.SERVICES,
        "service_name",
        "web",
        "port",
        "80",
        "protocol",
        "tcp",
        "algorithm",
        "LC");
    net.webService(first, second);
  }

  private void report(Host server, ImmutableMap<Integer, Integer> connections) {
    net.servers.report(
        server.ip(), new ServerTracker.Report(ImmutableMap.of(), connections, net.nanoTime.get()));
  }

  /** The member that a new connection goes to. */
  private Host connect() {
    byte[] syn =
        Frames.tcp(
            client.mac(),
            EdgeMac.of(client.switchId()),
            client.ip(),
            port++,
            VIP,
            80,
            Packet.TCP_SYN);
    List<Delivery> out = net.send(client, syn);
    assertEquals(1, out.size());
    return out.get(0).port().getPortNumber() == first.port() ? first : second;
  }

  @Test
  void connectionsThatBypassTheVip_changeTheChoice() {
    report(first, ImmutableMap.of(8_080, 3));

    assertEquals(List.of(second, second, second), List.of(connect(), connect(), connect()));
    assertEquals(3, net.stats("m1").foreignConnections());
    assertEquals(OptionalInt.of(3), net.stats("m1").reportedConnections());
    assertEquals(0, net.stats("m2").foreignConnections());
    assertEquals(OptionalInt.empty(), net.stats("m2").reportedConnections());
    assertEquals(first, connect());
  }

  @Test
  void ownConnections_areNotForeign() {
    Host before = connect();
    report(before, ImmutableMap.of(8_080, 1));

    assertEquals(0, net.stats(before.equals(first) ? "m1" : "m2").foreignConnections());
  }

  @Test
  void ownConnectionsMadeSinceTheReport_changeNothingOfIt() {
    report(first, ImmutableMap.of(8_080, 3));
    for (int i = 0; i < 6; i++) {
      connect();
    }
    net.pass(1);

    assertEquals(3, net.stats("m1").foreignConnections());
  }

  @Test
  void connectionsOfOtherPorts_areNotTheMembers() {
    report(first, ImmutableMap.of(22, 50));

    assertEquals(0, net.stats("m1").foreignConnections());
    assertEquals(OptionalInt.empty(), net.stats("m1").reportedConnections());
  }

  @Test
  void reportOfAllPorts_countsForEach() {
    report(first, ImmutableMap.of(0, 4));

    assertEquals(4, net.stats("m1").foreignConnections());
  }

  @Test
  void memberWithoutPort_hasTheConnectionsOfAllReportedPorts() {
    net.create(Catalog.MEMBERS, "id", "any", "address", first.ip().toString(), "pool_id", "p");
    report(first, ImmutableMap.of(22, 5, 80, 2));

    assertEquals(OptionalInt.of(7), net.stats("any").reportedConnections());
    assertEquals(7, net.stats("any").foreignConnections());
  }

  @Test
  void membersAtOnePlace_doNotTakeEachOthersForForeign() {
    net.create(Catalog.POOLS, "id", "other");
    net.create(
        Catalog.MEMBERS,
        "id",
        "twin",
        "address",
        first.ip().toString(),
        "port",
        "8080",
        "pool_id",
        "other");
    assertEquals(1, List.of(connect(), connect()).stream().filter(first::equals).count());
    report(first, ImmutableMap.of(8_080, 3));

    assertEquals(2, net.stats("twin").foreignConnections());
    assertEquals(2, net.stats("m1").foreignConnections());
  }

  @Test
  void reportsThatStop_ageOut() {
    report(first, ImmutableMap.of(8_080, 1_000));
    net.pass(30);
    assertEquals(1_000, net.stats("m1").foreignConnections());
    assertEquals(List.of(second, second), List.of(connect(), connect()));
    net.pass(1);

    assertEquals(0, net.stats("m1").foreignConnections());
    assertEquals(OptionalInt.empty(), net.stats("m1").reportedConnections());
    assertEquals(List.of(first, first), List.of(connect(), connect()));
  }
}
