package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.network.LinkCapacity;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Connections are counted on links that have been away for a moment.
 *
 * <pre>
 *             .--12 21--.
 *  client 1 s1           s2 1 member        both links carry 10 Mbit/s
 *             '--13 22--'
 * </pre>
 */
class LinkFlapTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host member = Host.of(s2, 1, "10.0.0.11");
  private final List<DirectedLink> links =
      List.of(
          link(s1, 12, s2, 21), link(s2, 21, s1, 12), link(s1, 13, s2, 22), link(s2, 22, s1, 13));

  LinkFlapTest(SwitchProfile profile) {
    super(profile);
  }

  private static DirectedLink link(DatapathId src, int srcPort, DatapathId dst, int dstPort) {
    return new DirectedLink(src, OFPort.of(srcPort), dst, OFPort.of(dstPort));
  }

  @BeforeEach
  void balanceByThroughput() {
    net.link(s1, 12, s2, 21);
    net.link(s1, 13, s2, 22);
    net.learn(client);
    net.learn(member);
    net.linkTracker.setTopology(Topology.of(List.of(s1, s2), links));
    for (DirectedLink link : links) {
      net.capacities.put(link, new LinkCapacity(10e6, LinkCapacity.Source.CONFIGURED));
    }
    net.create(Catalog.VIPS, "id", "v", "protocol", "tcp", "address", VIP.toString(), "port", "80");
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v", "lb_method", "HT-PS");
    net.create(Catalog.MEMBERS, "id", "m", "address", member.ip().toString(), "pool_id", "p");
    measure();
  }

  /** Nothing but what is placed from now on loads the links. */
  private void measure() {
    for (int i = 0; i < 3; i++) {
      links.forEach(link -> net.linkTracker.use(link, 0, net.nanoTime.get()));
      net.pass(1);
    }
  }

  private void send(int srcPort, int flags) {
    net.send(
        client,
        Frames.tcp(
            client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, 80, flags));
  }

  /** Opens ten connections, and tells how many active ones are on each link. */
  private Map<DirectedLink, Integer> open(int firstPort) {
    for (int i = 0; i < 10; i++) {
      send(firstPort + i, Packet.TCP_SYN);
    }
    Map<DirectedLink, Integer> active = new TreeMap<>();
    net.module.links().forEach(stats -> active.put(stats.link(), stats.active()));
    return active;
  }

  private Map<DirectedLink, Integer> fiveOnEach() {
    Map<DirectedLink, Integer> expected = new TreeMap<>();
    links.forEach(link -> expected.put(link, 5));
    return expected;
  }

  @Test
  void highestThroughput_afterAllLinksOfASwitchFlapped_spreadsAsBefore() {
    assertEquals(fiveOnEach(), open(40_000));
    for (int i = 0; i < 10; i++) {
      send(40_000 + i, Packet.TCP_FIN | Packet.TCP_ACK);
    }
    net.pass(30);
    net.expire();

    net.disconnect(s2);
    net.pass(1);
    net.reconnect(s2);
    net.explore(s2);
    measure();

    assertEquals(fiveOnEach(), open(50_000));
  }
}
