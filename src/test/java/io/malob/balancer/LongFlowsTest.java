package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.PathStats;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.state.catalog.Catalog;
import io.malob.state.network.LinkCapacity;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Connections that carry much for long are led over another path while they go on.
 *
 * <pre>
 *  client - s1 ------ s2 - member        all links carry 10 Mbit/s
 *            `-- s3 --'
 * </pre>
 */
class LongFlowsTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final byte[] DATA = new byte[1_400];

  private BalancerNetwork net;
  private DatapathId s1;
  private DatapathId s2;
  private DatapathId s3;
  private Host client;
  private Host member;
  private Path direct;
  private Path around;

  /** What other traffic there is on links, in bit/s. */
  private final Map<DirectedLink, Double> others = new HashMap<>();

  LongFlowsTest(SwitchProfile profile) {
    super(profile);
  }

  private void start(Map<String, String> settings) {
    net = network(settings);
    s1 = net.addSwitch(1);
    s2 = net.addSwitch(2);
    s3 = net.addSwitch(3);
    net.link(s1, 12, s2, 21);
    net.link(s1, 13, s3, 31);
    net.link(s3, 32, s2, 23);
    client = Host.of(s1, 1, "10.0.0.1");
    member = Host.of(s2, 1, "10.0.0.11");
    net.learn(client);
    net.learn(member);
    direct = new Path(s2, ImmutableList.of(link(s2, 21, s1, 12)));
    around = new Path(s2, ImmutableList.of(link(s2, 23, s3, 32), link(s3, 31, s1, 13)));
    net.linkTracker.setTopology(
        Topology.of(
            List.of(s1, s2, s3),
            List.of(direct.links().get(0), around.links().get(0), around.links().get(1))));
    for (Path path : List.of(direct, around)) {
      path.links()
          .forEach(
              link -> net.capacities.put(link, new LinkCapacity(10e6, LinkCapacity.Source.PORT)));
    }
    net.create(Catalog.VIPS, "id", "v", "protocol", "udp", "address", "10.0.0.100", "port", "53");
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v");
    net.create(Catalog.MEMBERS, "id", "m", "address", "10.0.0.11", "pool_id", "p");
  }

  private static DirectedLink link(DatapathId src, int srcPort, DatapathId dst, int dstPort) {
    return new DirectedLink(src, OFPort.of(srcPort), dst, OFPort.of(dstPort));
  }

  private int ask(int port) {
    return net.send(
            client,
            Frames.udp(
                client.mac(),
                EdgeMac.of(client.switchId()),
                client.ip(),
                port,
                VIP,
                53,
                new byte[] {1}))
        .size();
  }

  private int answer(int port) {
    return net.send(
            member,
            Frames.udp(member.mac(), client.mac(), member.ip(), 53, client.ip(), port, DATA))
        .size();
  }

  /** Each second, 1.15 Mbit/s come from the member; each packet arrives once. */
  private void download(int port, int seconds) {
    for (int second = 0; second < seconds; second++) {
      assertEquals(1, ask(port));
      for (int i = 0; i < 100; i++) {
        assertEquals(1, answer(port));
      }
      measureLinks();
      net.pass(1);
    }
  }

  private void measureLinks() {
    for (Path path : List.of(direct, around)) {
      int active = active(path);
      path.links()
          .forEach(
              link ->
                  net.linkTracker.use(
                      link, others.getOrDefault(link, 0.0) + active * 1.15e6, net.nanoTime.get()));
    }
  }

  private void crowd(Path path, double bps) {
    path.links().forEach(link -> others.put(link, bps));
  }

  private int active(Path path) {
    return net.module.paths().stream()
        .filter(stats -> stats.path().equals(path))
        .mapToInt(PathStats::active)
        .sum();
  }

  @Test
  void longFlow_onACrowdedPath_isMovedWithoutLosingAPacket() {
    start(Map.of());
    crowd(direct, 8.85e6);
    download(40_000, 5);
    assertEquals(1, active(direct));

    download(40_000, 15);

    assertEquals(0, active(direct));
    assertEquals(1, active(around));
    assertEquals(1, net.module.moves().moved());
    assertEquals(1, net.module.moves().seen());
    assertEquals(0, net.module.moves().failed());
  }

  @Test
  void movedFlow_leavesNothingBehind() {
    start(Map.of());
    crowd(direct, 8.85e6);
    download(40_000, 20);
    assertEquals(1, net.module.moves().moved());

    for (int seconds = 0; seconds < 60; seconds += 5) {
      net.pass(5);
      net.expire();
    }

    assertEquals(0, net.module.counters().openConnections());
    for (PathStats path : net.module.paths()) {
      assertEquals(0, path.connections(), path::toString);
      assertEquals(0, path.active(), path::toString);
    }
    assertEquals(0, net.stats("m").activeConnections());
  }

  @Test
  void oldPath_staysAWhileForPacketsUnderWay() {
    start(Map.of());
    crowd(direct, 8.85e6);
    for (int second = 0; net.module.moves().moved() == 0 && second < 20; second++) {
      download(40_000, 1);
    }
    assertEquals(1, net.module.moves().moved());
    assertTrue(net.module.paths().stream().anyMatch(stats -> stats.path().equals(direct)));
  }

  @Test
  void longFlow_withEnoughRoom_staysWhereItIs() {
    start(Map.of());
    crowd(direct, 3e6);
    download(40_000, 20);
    assertEquals(1, net.module.moves().seen());
    assertEquals(0, net.module.moves().moved());
    assertEquals(1, active(direct));
  }

  @Test
  void shortOrSlowFlow_isNone() {
    start(Map.of());
    crowd(direct, 9.9e6);
    for (int second = 0; second < 20; second++) {
      ask(40_000);
      answer(40_000);
      measureLinks();
      net.pass(1);
    }
    assertEquals(0, net.module.moves().seen());
  }

  @Test
  void movedFlow_restsForHalfAMinute() {
    start(Map.of());
    crowd(direct, 8.85e6);
    download(40_000, 15);
    assertEquals(1, active(around));
    crowd(direct, 0);
    crowd(around, 9.5e6);

    download(40_000, 15);
    assertEquals(1, net.module.moves().moved());
    download(40_000, 30);

    assertEquals(2, net.module.moves().moved());
    assertEquals(1, active(direct));
  }

  @Test
  void reconciliations_leaveTheNewPathAsItIs() {
    start(Map.of("auditSeconds", "5"));
    crowd(direct, 8.85e6);
    download(40_000, 60);
    assertEquals(1, net.module.moves().moved());
    assertEquals(1, active(around));
    assertEquals(0, net.module.reconcileStats().connectionsRestored());
    assertTrue(net.module.reconcileStats().tablesRead() > 10);
  }

  @Test
  void connection_thatIsOverBeforeThePathIsReady_isNotMoved() {
    start(Map.of());
    crowd(direct, 8.85e6);
    download(40_000, 8);
    assertEquals(0, net.module.moves().moved());
    net.holdBarriers();
    download(40_000, 5);
    assertEquals(0, net.module.moves().moved());
    net.delete(Catalog.MEMBERS, "m");

    net.releaseBarriers();

    assertEquals(0, net.module.moves().moved());
    assertEquals(1, net.module.moves().failed());
    net.module.paths().forEach(path -> assertEquals(0, path.connections(), path::toString));
  }

  @Test
  void pathThatCannotBeInstalled_isGivenUp() {
    start(Map.of());
    crowd(direct, 8.85e6);
    download(40_000, 8);
    net.holdBarriers();
    download(40_000, 5);

    net.failBarriers();

    download(40_000, 2);
    assertEquals(1, active(direct));
    assertEquals(1, net.module.moves().failed());
  }

  @Test
  void switchedOff_nothingIsAskedOrMoved() {
    start(Map.of("elephantSeconds", "0"));
    crowd(direct, 8.85e6);
    int before = net.requested.size();
    download(40_000, 20);
    assertEquals(0, net.module.moves().seen());
    assertEquals(before, net.requested.size());
  }

  @Test
  void switchWithTooManyConnections_isNotAsked() {
    start(Map.of("elephantMaxRules", "1"));
    crowd(direct, 8.85e6);
    ask(40_001);
    for (int second = 0; second < 12; second++) {
      ask(40_001);
      download(40_000, 1);
    }
    assertEquals(0, net.module.moves().seen());
    assertEquals(2, net.module.moves().leftOut());
  }

  @Test
  void countersOfAMovedRule_continue() {
    start(Map.of());
    crowd(direct, 8.85e6);
    download(40_000, 15);
    assertEquals(1, net.module.moves().moved());
    long bytes =
        net.rules(s2, CookieKind.REPLY).stream()
            .mapToLong(rule -> net.table(s2).countsOf(rule).bytes())
            .sum();
    assertEquals(15 * 100 * (1_400 + 42), bytes);
  }
}
