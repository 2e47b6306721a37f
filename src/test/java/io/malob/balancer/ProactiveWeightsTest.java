package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.FIN;
import static io.malob.balancer.ProactiveFixture.FIRST_PORT;
import static io.malob.balancer.ProactiveFixture.SYN;
import static io.malob.balancer.ProactiveFixture.SYN_ACK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.LinkStats;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The buckets of PREQUAL, which follow what is known of members and links. The second edge and a
 * third member are added to the network of {@link ProactiveFixture}:
 *
 * <pre>
 *  client 1, other -- s1 -- s2 -- s3 -- m1, m2
 *                      |           |
 *             m3 ---- s6 --------- s5 -- third client
 * </pre>
 */
class ProactiveWeightsTest {
  private static final long MILLI = 1_000_000;

  private final ProactiveFixture fixture = new ProactiveFixture();
  private final BalancerNetwork net = fixture.net;
  private final DatapathId s5 = net.addSwitch(5);
  private final DatapathId s6 = net.addSwitch(6);
  private final Host third = Host.of(s5, 1, "10.0.0.3");
  private final Host m3 = Host.of(s6, 2, "10.0.0.13");
  private int nextPort = FIRST_PORT;

  ProactiveWeightsTest() {
    net.link(s5, 11, fixture.s3, 13);
    net.link(s5, 12, s6, 11);
    net.link(s6, 12, fixture.s1, 13);
    net.learn(third);
  }

  private void choose(String algorithm) {
    fixture.set(Catalog.POOLS, "p", "lb_method", algorithm);
  }

  private record Open(Host member, Host from, int port, int second) {}

  /** The client opens a connection from its next port, and gets the answer. */
  private Open open(Host from, int second) {
    int port = nextPort;
    nextPort += 2;
    Packet syn = Packet.parse(only(fixture.send(from, port, SYN)).frame());
    Host member =
        List.of(fixture.m1, fixture.m2, m3).stream()
            .filter(host -> host.address().equals(syn.destination()))
            .findFirst()
            .orElseThrow();
    only(fixture.reply(member, from, port, SYN_ACK));
    only(fixture.send(from, port, ACK));
    return new Open(member, from, port, second);
  }

  private static Delivery only(List<Delivery> deliveries) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    return deliveries.get(0);
  }

  private int bucketsOf(String member, DatapathId at) {
    return fixture.byMember(at).getOrDefault(fixture.number(member), 0L).intValue();
  }

  /**
   * The first member answers after four seconds, the other after one. Only counters of rules tell.
   */
  @ParameterizedTest
  @ValueSource(strings = {"PREQUAL", "PREQUAL+SPH"})
  void slowMember_getsFewerBuckets(String algorithm) {
    choose(algorithm);
    fixture.settle();
    assertEquals(32, bucketsOf("m1", fixture.s1), 4);

    List<Open> all = new ArrayList<>();
    for (int second = 0; second < 50; second++) {
      for (int i = 0; i < 8; i++) {
        all.add(open(fixture.client, second));
      }
      for (Open each : List.copyOf(all)) {
        if (second - each.second >= (each.member.equals(fixture.m1) ? 4 : 1)) {
          only(fixture.reply(each.member, each.from, each.port, FIN));
          all.remove(each);
        }
      }
      fixture.pass(1);
    }

    int slow = bucketsOf("m1", fixture.s1);
    assertTrue(slow >= 8 && slow <= 24, "m1 has " + slow);
  }

  /** All links with a latency of 10 ms and 100 Mbit/s, that between s1 and s6 with this rate. */
  private void measure(double bps) {
    Topology topology =
        Topology.of(net.switchIds(), net.module.links().stream().map(LinkStats::link).toList());
    net.linkTracker.setTopology(topology);
    for (DirectedLink link : topology.links()) {
      boolean isBetween =
          Map.of(fixture.s1, s6, s6, fixture.s1).getOrDefault(link.src(), s5).equals(link.dst());
      double used = isBetween ? 100e6 - bps : 0;
      net.linkTracker.latency(link, 10 * MILLI, net.nanoTime.get());
      net.linkTracker.use(link, used, 100e6, net.nanoTime.get());
    }
  }

  @Test
  void memberBehindACongestedLink_getsFewerBuckets_atThatEdgeOnly() {
    choose("PREQUAL");
    net.learn(m3);
    fixture.addMember("m3", m3);
    fixture.askForVip(third);
    measure(100e6);
    fixture.settle();
    for (int i = 0; i < 60; i++) {
      open(fixture.client, 0);
      open(third, 0);
    }
    for (int second = 0; second < 60; second++) {
      measure(100e6);
      fixture.pass(1);
    }
    int before = bucketsOf("m3", fixture.s1);
    int elsewhere = bucketsOf("m3", s5);

    for (int second = 0; second < 60; second++) {
      measure(5e6);
      fixture.pass(1);
    }

    int after = bucketsOf("m3", fixture.s1);
    assertTrue(after < before / 2, after + " after " + before);
    assertTrue(bucketsOf("m3", s5) >= elsewhere);
  }

  /** Measurements that differ by a few percent each second, and connections that stay. */
  @Test
  void noise_movesNoBuckets() {
    choose("PREQUAL");
    net.learn(m3);
    fixture.addMember("m3", m3);
    measure(10e6);
    fixture.settle();
    List<Open> all = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      all.add(open(fixture.client, 0));
    }
    long moves = 0;
    for (int second = 0; second < 150; second++) {
      measure(second % 2 == 0 ? 9.8e6 : 10.2e6);
      all.forEach(each -> only(fixture.reply(each.member, each.from, each.port, ACK)));
      fixture.pass(1);
      moves = second == 90 ? fixture.stats().moves() : moves;
    }

    assertTrue(bucketsOf("m3", fixture.s1) > 0);
    assertTrue(bucketsOf("m3", fixture.s1) < bucketsOf("m1", fixture.s1));
    assertEquals(moves, fixture.stats().moves());
  }
}
