package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.Frames;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/** Which algorithm places the connections to the ports of a VIP, and since when. */
class ServiceAlgorithmTest {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");

  private final BalancerNetwork net = new BalancerNetwork();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host one = Host.of(s2, 2, "10.0.0.11");
  private final Host two = Host.of(s2, 3, "10.0.0.12");

  @BeforeEach
  void setUp() throws Exception {
    net.link(s1, 2, s2, 1);
    net.learn(one);
    net.learn(two);
    net.create(Catalog.VIPS, "id", "v", "address", VIP.toString());
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v");
    net.create(Catalog.MEMBERS, "id", "m1", "address", one.ip().toString(), "pool_id", "p");
    net.create(Catalog.MEMBERS, "id", "m2", "address", two.ip().toString(), "pool_id", "p");
  }

  private void connect(int srcPort, int port) {
    net.send(
        client,
        Frames.tcp(
            client.mac(),
            EdgeMac.of(client.switchId()),
            client.ip(),
            srcPort,
            VIP,
            port,
            Packet.TCP_SYN));
  }

  /** The algorithms of all connections, by the clients' ports. */
  private List<String> algorithms() {
    return net.module.connections(any -> true, null, 100).connections().stream()
        .map(each -> each.request().srcPort() + " " + each.algorithm().name())
        .sorted()
        .toList();
  }

  @Test
  void services_decideByPort_andTheDefaultEntryForAllOthers() {
    net.change(Catalog.SERVICES, "http", "algorithm", "LC");
    net.create(Catalog.SERVICES, "port", "81", "protocol", "udp", "algorithm", "WRR");

    connect(1, 80);
    connect(2, 81);

    assertEquals(List.of("1 LC+SPH", "2 RR+SPH"), algorithms());
  }

  @Test
  void changedServices_hitNewConnectionsOnly() {
    net.change(Catalog.SERVICES, "http", "algorithm", "LC");
    connect(1, 80);
    connect(2, 443);

    net.change(Catalog.SERVICES, "http", "algorithm", "WRR");
    net.change(Catalog.SERVICES, "default", "algorithm", "LC");
    connect(3, 80);
    connect(4, 443);
    net.delete(Catalog.SERVICES, "http");
    connect(5, 80);

    assertEquals(
        List.of("1 LC+SPH", "2 RR+SPH", "3 WRR+SPH", "4 LC+SPH", "5 LC+SPH"), algorithms());
  }

  @Test
  void methodOfPool_winsOverServices_andThatOfTheVipOverBoth() {
    net.change(Catalog.SERVICES, "http", "algorithm", "LC");
    net.change(Catalog.POOLS, "p", "lb_method", "WRR");
    connect(1, 80);
    net.change(Catalog.VIPS, "v", "lb_method", "RR");
    connect(2, 80);
    net.change(Catalog.VIPS, "v", "lb_method", null);
    net.change(Catalog.POOLS, "p", "lb_method", null);
    connect(3, 80);

    assertEquals(List.of("1 WRR+SPH", "2 RR+SPH", "3 LC+SPH"), algorithms());
  }

  /** With one open connection on the first member, LC takes the second one, twice. */
  @Test
  void newAlgorithm_isTheOneThatChooses() {
    connect(1, 80);
    assertEquals(1, net.stats("m1").activeConnections());

    net.change(Catalog.POOLS, "p", "lb_method", "LC");
    net.change(Catalog.MEMBERS, "m2", "weight", "10");
    connect(2, 80);
    connect(3, 80);
    connect(4, 80);

    assertEquals(1, net.stats("m1").activeConnections());
    assertEquals(3, net.stats("m2").activeConnections());
  }
}
