package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Placement;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.ExplainedConnection.AddressNeeded;
import io.malob.balancer.api.ExplainedConnection.Candidate;
import io.malob.balancer.api.ExplainedConnection.Exclusion;
import io.malob.balancer.api.ExplainedConnection.NeedsAddress;
import io.malob.balancer.api.ExplainedConnection.Outcome;
import io.malob.balancer.api.ExplainedConnection.Placed;
import io.malob.balancer.api.ExplainedConnection.Refused;
import io.malob.balancer.api.LinkStats;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.PlacedConnection;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.AlgorithmChoice.Source;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Protocol;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.ServerValue;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * What the module says of connections that nobody has opened, and what becomes of them then.
 *
 * <pre>
 *                  2--1 s2 2--- member 1
 *  client --1 s1   3--1 s3 2--- member 2
 *                  4--1 s4 2--- member 3
 *  and s2 3--3 s3, s3 4--3 s4
 * </pre>
 */
class ExplainerTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final long MILLI = 1_000_000;

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final DatapathId s3 = net.addSwitch(3);
  private final DatapathId s4 = net.addSwitch(4);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final List<Host> members =
      List.of(
          Host.of(s2, 2, "10.0.0.11"), Host.of(s3, 2, "10.0.0.12"), Host.of(s4, 2, "10.0.0.13"));

  private Topology topology = Topology.EMPTY;

  ExplainerTest(SwitchProfile profile) {
    super(profile);
  }

  /** Algorithms know nothing of tables: with fewer of these, one tells of all. */
  private void assumeTellsMore(String algorithm) {
    assumeTrue(profile == SwitchProfile.FOUR_TABLES || algorithm.equals("SL-PS"));
  }

  @BeforeEach
  void setUp() {
    net.link(s1, 2, s2, 1);
    net.link(s1, 3, s3, 1);
    net.link(s1, 4, s4, 1);
    net.link(s2, 3, s3, 3);
    net.link(s3, 4, s4, 3);
    topology =
        Topology.of(net.switchIds(), net.module.links().stream().map(LinkStats::link).toList());
    net.linkTracker.setTopology(topology);
    net.learn(client);
    members.forEach(net::learn);
    net.webService(members.toArray(new Host[0]));
  }

  private static Stream<String> algorithms() {
    return Algorithm.names().stream();
  }

  private ExplainedConnection explain(Protocol protocol, int port) {
    return net.module.explain(client.ip(), VIP, protocol, port, OptionalInt.empty()).orElseThrow();
  }

  private ExplainedConnection explain() {
    return explain(Protocol.TCP, 80);
  }

  private void connect(int srcPort, int port, int flags) {
    net.send(
        client,
        Frames.tcp(
            client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, port, flags));
  }

  private PlacedConnection placed(int srcPort) {
    return net.module
        .connections(each -> each.request().srcPort() == srcPort, null, 1)
        .connections()
        .get(0);
  }

  private static String memberOf(ExplainedConnection explained) {
    Placement placement = assertInstanceOf(Placed.class, explained.outcome()).placement();
    return explained.candidates().stream()
        .filter(each -> each.member().number() == placement.server().number())
        .map(each -> each.member().id())
        .findFirst()
        .orElseThrow();
  }

  private static String refusal(ExplainedConnection explained) {
    return assertInstanceOf(Refused.class, explained.outcome()).reason();
  }

  private void latency(DatapathId from, DatapathId to, long millis) {
    for (DirectedLink link : topology.linksBetween(from, to)) {
      net.linkTracker.latency(link, millis * MILLI, net.nanoTime.get());
    }
  }

  /** Links and servers as they may be measured, and some connections less. */
  private void disturb(Random random, int opened) {
    for (DirectedLink link : topology.links()) {
      if (random.nextInt(4) > 0) {
        net.linkTracker.latency(link, random.nextInt(20) * MILLI, net.nanoTime.get());
      }
      if (random.nextInt(4) > 0) {
        net.linkTracker.use(link, random.nextInt(90) * 1e6, 100e6, net.nanoTime.get());
      }
    }
    for (Host member : members) {
      if (random.nextBoolean()) {
        net.servers.report(
            member.ip(),
            new ServerTracker.Report(
                ImmutableMap.of(ServerValue.CPU, random.nextInt(100) / 100.0),
                ImmutableMap.of(8_080, random.nextInt(9)),
                net.nanoTime.get()));
      }
    }
    if (opened > 0 && random.nextBoolean()) {
      connect(1_000 + random.nextInt(opened), 80, Packet.TCP_FIN | Packet.TCP_ACK);
    }
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void explanation_isWhatTheNextPlacementDoes(String algorithm) {
    assumeTellsMore(algorithm);
    net.change(Catalog.VIPS, "v", "lb_method", algorithm);
    net.change(Catalog.MEMBERS, "m2", "weight", "3");
    Random random = new Random(algorithm.hashCode());
    Set<String> chosen = new HashSet<>();
    for (int i = 0; i < 60; i++) {
      if (i % 5 == 3) {
        disturb(random, i);
        net.pass(1);
      }
      Placement said = assertInstanceOf(Placed.class, explain().outcome()).placement();
      chosen.add(memberOf(explain()));
      connect(1_000 + i, 80, Packet.TCP_SYN);

      PlacedConnection is = placed(1_000 + i);
      assertEquals(said.server().number(), is.server().number(), "connection " + i);
      assertEquals(said.requestPath(), is.route().request(), "connection " + i);
      assertEquals(said.replyPath(), is.route().reply(), "connection " + i);
      assertEquals(algorithm, is.algorithm().name());
    }
    assertTrue(chosen.size() > 1, "all to one: " + chosen);
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void asking_changesNothing(String algorithm) {
    assumeTellsMore(algorithm);
    net.change(Catalog.VIPS, "v", "lb_method", algorithm);
    connect(1_000, 80, Packet.TCP_SYN);
    List<MemberStats> stats = List.copyOf(net.module.memberStats().values());
    long refused = net.module.rejects().values().stream().mapToLong(each -> each).sum();
    ExplainedConnection first = explain();

    for (int i = 0; i < 10; i++) {
      assertEquals(first.outcome(), explain().outcome());
      explain(Protocol.TCP, 81);
    }

    assertEquals(stats, List.copyOf(net.module.memberStats().values()));
    assertEquals(refused, net.module.rejects().values().stream().mapToLong(each -> each).sum());
    assertEquals(1, net.module.counters().openConnections());
  }

  @Test
  void lowestLatency_isToldOfEachCandidate() {
    net.change(Catalog.VIPS, "v", "lb_method", "SL-PS");
    latency(s1, s2, 8);
    latency(s2, s1, 8);
    latency(s1, s3, 2);
    latency(s3, s1, 4);
    latency(s1, s4, 30);
    latency(s4, s1, 30);
    latency(s3, s4, 1);
    latency(s4, s3, 1);
    net.pass(1);

    ExplainedConnection explained = explain();
    assertEquals("m2", memberOf(explained));
    assertEquals(
        List.of(16.0, 6.0, 8.0),
        explained.candidates().stream().map(each -> each.values().get("round_trip_ms")).toList());
    assertEquals(
        List.of(s1, s3, s4),
        explained.candidates().get(2).paths().orElseThrow().request().switches());
    assertEquals(client.switchId(), explained.client().switchId());
    assertEquals(OFPort.of(1), explained.client().port());
  }

  @Test
  void decision_namesWhatNamesTheAlgorithm() {
    net.create(Catalog.SERVICES, "id", "mine", "protocol", "tcp", "port", "80", "algorithm", "WRR");
    assertEquals("mine", decidedBy(Source.SERVICE));
    net.change(Catalog.POOLS, "p", "lb_method", "LC");
    assertEquals("p", decidedBy(Source.POOL));
    net.change(Catalog.VIPS, "v", "lb_method", "RR");
    assertEquals("v", decidedBy(Source.VIP));
    net.change(Catalog.VIPS, "v", "lb_method", null);
    net.change(Catalog.POOLS, "p", "lb_method", null);
    net.delete(Catalog.SERVICES, "mine");
    net.change(Catalog.VIPS, "v", "port", "5000");
    assertEquals(
        "default",
        explain(Protocol.TCP, 5_000).decision().orElseThrow().choice().orElseThrow().item().id());
  }

  private String decidedBy(Source source) {
    ExplainedConnection.Decision decision = explain().decision().orElseThrow();
    assertEquals(source, decision.choice().orElseThrow().source());
    assertEquals(decision.choice().orElseThrow().algorithm(), decision.algorithm());
    return decision.choice().orElseThrow().item().id();
  }

  @Test
  void unknownClient_isNotExplained() {
    assertEquals(
        Optional.empty(),
        net.module.explain(
            IPv4Address.of("10.0.0.77"), VIP, Protocol.TCP, 80, OptionalInt.empty()));
  }

  private ExplainedConnection explainByMac(Protocol protocol, int port) {
    return net.module.explain(client.mac(), VIP, protocol, port, OptionalInt.empty()).orElseThrow();
  }

  /** All that the network knows of the client is its MAC, and where that is. */
  private void forgetClientsAddress() {
    net.forget(client);
    net.learnWithoutAddress(client);
  }

  @Test
  void mac_standsForTheHostsAddress() {
    net.change(Catalog.POOLS, "p", "session_persistence", "SOURCE_IP");
    connect(40_000, 80, Packet.TCP_SYN);

    ExplainedConnection explained = explainByMac(Protocol.TCP, 80);
    assertEquals(explain(), explained);
    assertEquals(Optional.of(client.ip()), explained.clientAddress());
    assertEquals(placed(40_000).server().number(), numberOf(explained));
  }

  @Test
  void unknownMac_isNotExplained() {
    assertEquals(
        Optional.empty(),
        net.module.explain(MacAddress.of(0x77), VIP, Protocol.TCP, 80, OptionalInt.empty()));
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void clientWithoutAddress_getsWhatItsPlaceGets(String algorithm) {
    assumeTellsMore(algorithm);
    net.change(Catalog.VIPS, "v", "lb_method", algorithm);
    ExplainedConnection withAddress = explain();

    forgetClientsAddress();
    assertEquals(
        Optional.empty(),
        net.module.explain(client.ip(), VIP, Protocol.TCP, 80, OptionalInt.empty()));
    ExplainedConnection without = explainByMac(Protocol.TCP, 80);
    assertEquals(Optional.empty(), without.clientAddress());
    assertEquals(withAddress.client(), without.client());
    assertInstanceOf(Placed.class, without.outcome());
    assertEquals(withAddress.outcome(), without.outcome());
    assertEquals(withAddress.candidates(), without.candidates());
    assertEquals("no_vip", refusal(explainByMac(Protocol.TCP, 81)));
  }

  @Test
  void clientWithoutAddress_isAskedForItWhereItDecides() {
    forgetClientsAddress();
    net.change(Catalog.POOLS, "p", "session_persistence", "SOURCE_IP");
    assertEquals(new AddressNeeded(NeedsAddress.SESSION_PERSISTENCE), outcomeByMac(80));

    net.change(Catalog.VIPS, "v", "allowed_sources", "10.0.0.0/8");
    assertEquals(new AddressNeeded(NeedsAddress.ALLOWED_SOURCES), outcomeByMac(80));

    net.change(Catalog.VIPS, "v", "allowed_sources", null);
    net.change(Catalog.POOLS, "p", "session_persistence", null);
    net.change(Catalog.VIPS, "v", "port", null);
    assertEquals(new AddressNeeded(NeedsAddress.FTP_CONTROL), outcomeByMac(5_000));
    assertInstanceOf(Placed.class, outcomeByMac(80));

    net.delete(Catalog.POOLS, "p");
    assertEquals(new Refused("no_pool"), outcomeByMac(80));
  }

  private Outcome outcomeByMac(int port) {
    return explainByMac(Protocol.TCP, port).outcome();
  }

  @Test
  void refusals_areThoseThatTheBalancerCounts() {
    assertEquals("no_vip", refusal(explain(Protocol.TCP, 81)));
    assertEquals("not_balanced", refusal(explain(Protocol.ICMP, 0)));
    net.delete(Catalog.POOLS, "p");
    assertEquals("no_pool", refusal(explain()));
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v");
    assertEquals("no_member", refusal(explain()));
    net.create(Catalog.MEMBERS, "id", "x", "address", "10.0.0.99", "pool_id", "p");
    assertEquals("no_member", refusal(explain()));
    assertEquals(
        List.of(Optional.of(Exclusion.NOT_LOCATED)),
        explain().candidates().stream().map(Candidate::excluded).toList());
  }

  @Test
  void limitsSourcesAndPersistence_areHeeded_asByThePlacement() {
    net.change(Catalog.VIPS, "v", "connection_limit", "1");
    net.change(Catalog.POOLS, "p", "session_persistence", "SOURCE_IP");
    connect(40_000, 80, Packet.TCP_SYN);
    int first = placed(40_000).server().number();
    assertRefusedAs("vip_full", RejectReason.VIP_FULL);

    net.change(Catalog.VIPS, "v", "connection_limit", null);
    assertEquals(first, numberOf(explain()));
    for (String id : List.of("m1", "m2", "m3")) {
      net.change(Catalog.MEMBERS, id, "connection_limit", "1");
    }
    int second = numberOf(explain());
    assertNotEquals(first, second);
    connect(40_001, 80, Packet.TCP_SYN);
    assertEquals(second, placed(40_001).server().number());
    connect(40_002, 80, Packet.TCP_SYN);
    assertEquals(3, net.module.counters().openConnections());
    assertRefusedAs("members_full", RejectReason.MEMBERS_FULL);

    net.change(Catalog.VIPS, "v", "allowed_sources", "10.9.0.0/16");
    assertRefusedAs("not_allowed", RejectReason.NOT_ALLOWED);
  }

  private static int numberOf(ExplainedConnection explained) {
    return assertInstanceOf(Placed.class, explained.outcome()).placement().server().number();
  }

  private void assertRefusedAs(String text, RejectReason reason) {
    long before = net.refused(reason);
    assertEquals(text, refusal(explain()));
    connect(49_000, 80, Packet.TCP_SYN);
    assertEquals(before + 1, net.refused(reason));
  }

  @Test
  void fullTable_isSaid() {
    assertInstanceOf(Placed.class, explain().outcome());
    BalancerNetwork small = new BalancerNetwork(Map.of("maxConnections", "1"));
    DatapathId only = small.addSwitch(1);
    Host from = Host.of(only, 1, "10.0.0.1");
    Host to = Host.of(only, 2, "10.0.0.11");
    small.learn(from);
    small.learn(to);
    small.webService(to);
    small.send(
        from,
        Frames.tcp(from.mac(), EdgeMac.of(from.switchId()), from.ip(), 1, VIP, 80, Packet.TCP_SYN));

    assertEquals(
        new Refused("limit"),
        small
            .module
            .explain(from.ip(), VIP, Protocol.TCP, 80, OptionalInt.empty())
            .orElseThrow()
            .outcome());
  }

  @Test
  void exclusions_areSaid_andAgreeWithThePlacement() {
    Host neighbour = Host.of(s1, 1, "10.0.0.21");
    net.learn(neighbour);
    net.create(Catalog.MEMBERS, "id", "near", "address", "10.0.0.21", "pool_id", "p");
    net.create(Catalog.MEMBERS, "id", "self", "address", "10.0.0.1", "pool_id", "p");
    net.unlink(s1, 2);
    net.unlink(s2, 3);

    ExplainedConnection explained = explain();
    assertEquals(
        List.of(
            Optional.of(Exclusion.NO_ROUTE),
            Optional.empty(),
            Optional.empty(),
            Optional.of(Exclusion.BEHIND_CLIENTS_PORT),
            Optional.of(Exclusion.CLIENT_ITSELF)),
        explained.candidates().stream().map(Candidate::excluded).toList());

    net.change(Catalog.MEMBERS, "m2", "admin_state", "drain");
    net.change(Catalog.MEMBERS, "m3", "admin_state", "down");
    assertEquals(
        List.of(Optional.of(Exclusion.DRAIN), Optional.of(Exclusion.DOWN)),
        explain().candidates().subList(1, 3).stream().map(each -> each.excluded()).toList());

    for (String id : List.of("m1", "m2", "m3")) {
      net.delete(Catalog.MEMBERS, id);
    }
    ExplainedConnection alone = explain();
    assertEquals("near", memberOf(alone));
    assertEquals(
        List.of(Optional.empty(), Optional.of(Exclusion.CLIENT_ITSELF)),
        alone.candidates().stream().map(Candidate::excluded).toList());
  }

  @Test
  void ftpData_followsItsControlConnection() {
    net.change(Catalog.VIPS, "v", "port", null);
    for (String id : List.of("m1", "m2", "m3")) {
      net.change(Catalog.MEMBERS, id, "port", null);
    }
    connect(3_000, 21, Packet.TCP_SYN);
    FiveTuple control = placed(3_000).request();

    ExplainedConnection explained = explain(Protocol.TCP, 5_000);
    ExplainedConnection.Decision decision = explained.decision().orElseThrow();
    assertEquals(Optional.of(control), decision.ftpControl());
    assertEquals(Optional.empty(), decision.choice());
    assertEquals(placed(3_000).algorithm(), decision.algorithm());
    Outcome outcome = explained.outcome();
    connect(3_001, 5_000, Packet.TCP_SYN);
    Placement said = assertInstanceOf(Placed.class, outcome).placement();
    assertEquals(placed(3_001).server().number(), said.server().number());
    assertEquals(placed(3_001).route().request(), said.requestPath());
    assertEquals(1, explained.candidates().size());

    String member = explained.candidates().get(0).member().id();
    net.change(Catalog.MEMBERS, member, "admin_state", "drain");
    ExplainedConnection drained = explain(Protocol.TCP, 5_000);
    assertInstanceOf(Placed.class, drained.outcome());
    assertEquals(member, drained.candidates().get(0).member().id());
    assertEquals(said.requestPath(), drained.candidates().get(0).paths().orElseThrow().request());
  }
}
