package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.FiveTuple;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.ExplainedConnection.ChosenBucket;
import io.malob.balancer.api.ExplainedConnection.ClientBuckets;
import io.malob.balancer.api.ExplainedConnection.MemberBuckets;
import io.malob.balancer.api.ExplainedConnection.Placed;
import io.malob.balancer.api.ExplainedConnection.PortNeeded;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.VipStats;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.TableLayout;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Protocol;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * Explanations of connections to a proactive VIP, and where the switches then send them.
 *
 * <pre>
 *  client --1 s1 2--1 s2 2--- m1
 *                     s2 3--- m2
 * </pre>
 */
class ProactiveExplanationTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int HOLD_SECONDS = 10;
  private static final int MOVE_SECONDS = 30;

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final List<Host> members =
      List.of(Host.of(s2, 2, "10.0.0.11"), Host.of(s2, 3, "10.0.0.12"));

  ProactiveExplanationTest(SwitchProfile profile) {
    super(profile);
  }

  @BeforeEach
  void setUp() {
    net.link(s1, 2, s2, 1);
    net.learn(client);
    members.forEach(net::learn);
    net.webService(members.toArray(new Host[0]));
    net.change(Catalog.VIPS, "v", "placement", "proactive");
    pass(5);
  }

  private void pass(int seconds) {
    for (int quarter = 0; quarter < 4 * seconds; quarter++) {
      net.passMillis(250);
    }
  }

  private ExplainedConnection explain(OptionalInt clientPort) {
    return net.module.explain(client.ip(), VIP, Protocol.TCP, 80, clientPort).orElseThrow();
  }

  private static ClientBuckets buckets(ExplainedConnection explained) {
    return explained.buckets().orElseThrow();
  }

  private ChosenBucket bucket(int clientPort) {
    return buckets(explain(OptionalInt.of(clientPort))).chosen().orElseThrow();
  }

  private Map<String, Integer> counts() {
    Map<String, Integer> counts = new TreeMap<>();
    buckets(explain(OptionalInt.empty()))
        .members()
        .forEach(each -> counts.put(each.memberId(), each.buckets()));
    return counts;
  }

  /** The member that gets the first packet of a connection. */
  private String opened(int clientPort) {
    byte[] syn =
        Frames.tcp(
            client.mac(),
            EdgeMac.of(client.switchId()),
            client.ip(),
            clientPort,
            VIP,
            80,
            Packet.TCP_SYN);
    var delivered = net.send(client, syn);
    assertEquals(1, delivered.size());
    FiveTuple request = Packet.parse(delivered.get(0).frame()).fiveTuple();
    return request.dstAddress() == members.get(0).ip().getInt() ? "m1" : "m2";
  }

  private String placed(ExplainedConnection explained) {
    int number = assertInstanceOf(Placed.class, explained.outcome()).placement().server().number();
    return net.module.catalog().snapshot().members().values().stream()
        .filter(each -> each.number() == number)
        .findFirst()
        .orElseThrow()
        .id();
  }

  @Test
  void connection_isThatOfItsBucket_forEachPort() {
    for (int port = 40_000; port < 40_256; port += 3) {
      ExplainedConnection explained = explain(OptionalInt.of(port));
      ChosenBucket bucket = buckets(explained).chosen().orElseThrow();
      assertEquals((port >> 1) & 63, bucket.index());
      assertEquals(Optional.of(placed(explained)), bucket.memberId());
      assertEquals(opened(port), placed(explained));
    }
    assertEquals(0, net.module.counters().openConnections(), "switches have placed them");
  }

  @Test
  void withoutPort_theBucketsOfAllMembersAreShown() {
    ExplainedConnection explained = explain(OptionalInt.empty());

    assertInstanceOf(PortNeeded.class, explained.outcome());
    ClientBuckets shown = buckets(explained);
    assertEquals("port", shown.source());
    assertEquals(64, shown.count());
    assertEquals(Optional.empty(), shown.chosen());
    assertEquals(64, shown.members().stream().mapToInt(MemberBuckets::buckets).sum());
    shown.members().forEach(each -> assertEquals(0.5, each.share().orElseThrow(), 0.05));
  }

  @Test
  void explaining_changesNothing() {
    Map<String, Integer> before = counts();
    for (int port = 1_000; port < 2_000; port++) {
      explain(OptionalInt.of(port));
    }
    pass(2);

    assertEquals(before, counts());
    assertEquals(0, net.stats("m1").totalConnections());
    assertEquals(0, net.module.counters().openConnections());
    assertEquals(0, proactive().moves());
  }

  /**
   * Nothing goes through the controller, so all of it is estimated. In one table, rules count no
   * flags, and only reports of agents tell of these connections.
   */
  @Test
  void connectionsThatSwitchesPlace_areInAllCounts() {
    int counted = profile.layout() == TableLayout.FOUR_TABLES ? 40 : 0;
    pass(1);
    for (int port = 40_000; port < 40_080; port += 2) {
      Host member = members.get(opened(port).equals("m1") ? 0 : 1);
      net.send(
          member,
          Frames.tcp(
              member.mac(),
              client.mac(),
              member.ip(),
              8080,
              client.ip(),
              port,
              Packet.TCP_SYN | Packet.TCP_ACK));
    }
    pass(20);

    MemberStats first = net.stats("m1");
    MemberStats second = net.stats("m2");
    assertEquals(counted, first.totalConnections() + second.totalConnections());
    assertEquals(counted, first.activeConnections() + second.activeConnections());
    assertEquals(first.activeConnections(), first.estimatedConnections());
    assertEquals(first.totalConnections(), net.module.totalConnections().getOrDefault("m1", 0L));
    VipStats vip = net.module.vipStats().get("v");
    assertEquals(counted, vip.activeConnections());
    assertEquals(counted, vip.estimatedConnections());
    assertEquals(counted, net.module.vipConnections().get("v"));
  }

  private ProactiveStats proactive() {
    return net.module.proactive().get(0);
  }

  @Test
  void bucketAtRest_saysSinceWhen_andWhatWouldMoveIt() {
    ChosenBucket bucket = bucket(40_000);

    assertEquals("first_assignment", bucket.cause());
    assertEquals(Optional.empty(), bucket.beforeId());
    assertTrue(bucket.seconds() > 0 && bucket.seconds() < 5, bucket.toString());
    assertEquals(0, bucket.secondsLeft(), "the first assignment need not rest");
    assertEquals(
        "Member "
            + bucket.memberId().orElseThrow()
            + " gets 50.0 % of the traffic here, and its share is 50.0 %. Buckets of it move above"
            + " about 51.6 %, or if it is drained or down.",
        bucket.next());
  }

  /** A packet for each bucket, so that they do not count as silent. */
  private void traffic() {
    for (int port = 40_000; port < 40_128; port += 2) {
      net.send(
          client,
          Frames.tcp(
              client.mac(),
              EdgeMac.of(client.switchId()),
              client.ip(),
              port,
              VIP,
              80,
              Packet.TCP_SYN));
    }
  }

  @Test
  void bucketOfADrainedMember_movesToAnother_withItsTimes() {
    traffic();
    pass(1);
    int port = 40_000;
    while (!bucket(port).memberId().equals(Optional.of("m1"))) {
      port += 2;
    }
    net.change(Catalog.MEMBERS, "m1", "admin_state", "drain");
    pass(2);

    ChosenBucket moving = bucket(port);
    assertEquals(Optional.of("m2"), moving.memberId());
    assertEquals(Optional.of("m1"), moving.beforeId());
    assertEquals("member_drained", moving.cause());
    assertEquals(MOVE_SECONDS, moving.seconds() + moving.secondsLeft(), 0.001);
    assertTrue(moving.next().startsWith("It moves from m1 to m2: in "), moving.next());
    assertEquals("m2", placed(explain(OptionalInt.of(port))), "new connections are there already");
    assertEquals("m2", opened(port));

    pass(MOVE_SECONDS);
    ChosenBucket moved = bucket(port);
    assertEquals(Optional.empty(), moved.beforeId());
    assertEquals(HOLD_SECONDS, moved.seconds() + moved.secondsLeft(), 0.001);
    assertEquals(Map.of("m1", 0, "m2", 64), counts());
  }

  @Test
  void vipThatBecomesReactive_isExplainedByItsAlgorithm() {
    traffic();
    pass(1);
    net.change(Catalog.VIPS, "v", "placement", "reactive");
    pass(2);

    ExplainedConnection leaving = explain(OptionalInt.of(40_000));
    ChosenBucket bucket = buckets(leaving).chosen().orElseThrow();
    assertEquals(Optional.empty(), bucket.memberId());
    assertTrue(bucket.next().startsWith("The VIP is becoming reactive here: in "), bucket.next());
    assertEquals(opened(50_000), placed(leaving), "RR has not had a turn in between");

    pass(MOVE_SECONDS);
    assertEquals(Optional.empty(), explain(OptionalInt.of(40_000)).buckets());
  }
}
