package io.malob.algorithm.bucket;

import static io.malob.testing.Topologies.link;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Counting;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Server;
import io.malob.algorithm.bucket.ShareProposal.Demand;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValue;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Topology;
import io.malob.testing.Graphs;
import io.malob.testing.Servers;
import io.malob.testing.Topologies;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The shares that rules lead to. Servers 1, 2, 3 are on their own switches around switch 8, the
 * client on 9; switch 7 has no links.
 */
class ShareProposalTest {
  private static final Topology STAR =
      Topologies.of(9, new int[] {1, 8}, new int[] {2, 8}, new int[] {3, 8}, new int[] {9, 8});
  private static final NetworkSnapshot UNKNOWN = new NetworkSnapshot(STAR);
  private static final DatapathId CLIENT = DatapathId.of(9);
  private static final double MS = 1e6;
  private static final double NONE = Double.NaN;

  private final LinkLoads loads = new LinkLoads();
  private final ServiceProfile service = new ServiceProfile();

  private static Stream<Algorithm> algorithms() {
    return Algorithm.names().stream().map(Algorithm::new);
  }

  private static Algorithm named(String name) {
    return Algorithm.named(name).orElseThrow();
  }

  private double[] shares(
      Algorithm algorithm, NetworkSnapshot network, List<Server> servers, double... open) {
    double[] lifetimes = new double[servers.size()];
    Arrays.fill(lifetimes, NONE);
    return shares(algorithm, network, servers, open, lifetimes, 64);
  }

  private double[] shares(
      Algorithm algorithm,
      NetworkSnapshot network,
      List<Server> servers,
      double[] open,
      double[] lifetimes,
      int buckets) {
    Demand demand = new Demand(open, lifetimes, new double[open.length], 1);
    return shares(algorithm, network, servers, demand, buckets);
  }

  private double[] shares(
      Algorithm algorithm,
      NetworkSnapshot network,
      List<Server> servers,
      Demand demand,
      int buckets) {
    return ShareProposal.of(
        algorithm,
        ImmutableList.copyOf(servers),
        demand,
        CLIENT,
        service,
        network,
        Counting.PLACED_SINCE,
        buckets);
  }

  private static void open(Server server, int connections) {
    server.load().add(connections);
  }

  /** Two reports, so that the present connections are covered. */
  private static void report(Server server, double cpu, double responseNanos) {
    server.load().reported(cpu, responseNanos);
    server.load().reported(cpu, responseNanos);
  }

  /** The links to servers 1, 2 and 3 have these latencies and this free capacity. */
  private NetworkSnapshot network(double[] latencies, double[] throughputs) {
    Map<DirectedLink, LinkValue> values = new HashMap<>();
    for (int server = 1; server <= 3; server++) {
      LinkValue value =
          Graphs.value(
              (long) latencies[server - 1], throughputs[server - 1], throughputs[server - 1]);
      values.put(link(server, 8), value);
      values.put(link(8, server), value);
    }
    values.put(link(9, 8), Graphs.value(1_000, 100e9, 100e9));
    values.put(link(8, 9), Graphs.value(1_000, 100e9, 100e9));
    return new NetworkSnapshot(LinkValues.of(STAR, values, loads, Counting.PLACED_SINCE));
  }

  private static double[] three(double value) {
    return new double[] {value, value, value};
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void equalServers_getEqualShares(Algorithm algorithm) {
    ImmutableList<Server> servers = Servers.equal(3);
    servers.forEach(server -> open(server, 30));
    double[] shares = shares(algorithm, UNKNOWN, servers, 30, 30, 30);
    // P2C draws at random
    assertArrayEquals(three(1 / 3.0), shares, algorithm.serverRule().equals("P2C") ? 0.05 : 0.002);
  }

  @ParameterizedTest
  @ValueSource(strings = {"WRR", "LC", "P2C", "SL-PS", "HT-PS", "PCT", "PREQUAL+SPL", "PREQUAL"})
  void weightedServers_getSharesByWeight(String rule) {
    ImmutableList<Server> servers = Servers.weighing(9, 3, 1);
    servers.forEach(server -> open(server, 100));
    double[] shares = shares(named(rule), UNKNOWN, servers, 100, 100, 100);
    assertArrayEquals(new double[] {9 / 13.0, 3 / 13.0, 1 / 13.0}, shares, 0.02);
  }

  @Test
  void roundRobin_ignoresWeightAndLoad() {
    ImmutableList<Server> servers = Servers.weighing(9, 3, 1);
    open(servers.get(0), 500);
    assertArrayEquals(three(1 / 3.0), shares(named("RR"), UNKNOWN, servers, 500, 0, 0), 0.002);
  }

  @ParameterizedTest
  @ValueSource(strings = {"RR", "WRR"})
  void turnsOfManyServers_areAsFineAsTheBuckets(String rule) {
    ImmutableList<Server> servers = Servers.equal(1_000);
    Topology one = Topologies.directed(9, List.of());
    List<Server> here = servers.stream().map(server -> server.movedTo(at(9))).toList();
    double[] unknown = new double[1_000];
    Arrays.fill(unknown, NONE);
    double[] shares =
        shares(named(rule), new NetworkSnapshot(one), here, new double[1_000], unknown, 8192);
    Arrays.stream(shares).forEach(share -> assertEquals(0.001, share, 1.0 / 8192));
  }

  private static Attachment at(long switchId) {
    return Servers.on(1, 1, switchId).at();
  }

  /** All have 40 connections in the end: those of the VIP, and 30 of others on the first. */
  @Test
  void leastConnections_countsThoseOfOthers() {
    ImmutableList<Server> servers = Servers.equal(3);
    open(servers.get(0), 10);
    servers.get(0).load().setDirect(20);
    open(servers.get(1), 45);
    open(servers.get(2), 45);
    double[] shares = shares(named("LC"), UNKNOWN, servers, 0, 45, 45);
    assertArrayEquals(new double[] {10 / 90.0, 40 / 90.0, 40 / 90.0}, shares, 0.01);
  }

  @Test
  void leastConnections_doNotDependOnTheirPresentPlaces() {
    ImmutableList<Server> servers = Servers.equal(3);
    open(servers.get(0), 90);
    double[] shares = shares(named("LC"), UNKNOWN, servers, 90, 0, 0);
    assertArrayEquals(three(1 / 3.0), shares, 0.01);
  }

  @Test
  void cpu_givesLessToABusyServer() {
    ImmutableList<Server> servers = Servers.equal(3);
    // 20 connections that take 1 % each, and on the first server something that takes 30 %
    servers.forEach(server -> open(server, 20));
    report(servers.get(0), 0.5, NONE);
    report(servers.get(1), 0.2, NONE);
    report(servers.get(2), 0.2, NONE);
    double[] shares = shares(named("CPU"), UNKNOWN, servers, 20, 20, 20);
    assertTrue(shares[0] < 0.25, Arrays.toString(shares));
    assertEquals(shares[1], shares[2], 0.03, Arrays.toString(shares));
  }

  @Test
  void shortestLatency_prefersTheNearerServer_untilItIsBusy() {
    NetworkSnapshot network =
        network(new double[] {1 * MS, 6 * MS, 100 * MS}, new double[] {1e9, 1e9, 1e9});
    ImmutableList<Server> servers = Servers.equal(3);
    assertArrayEquals(
        new double[] {1, 0, 0}, shares(named("SL-PS"), network, servers, 5, 0, 0), 1e-9);

    // without reports, a millisecond for each connection: 55 and 45 wait as long
    open(servers.get(0), 100);
    assertArrayEquals(
        new double[] {0.55, 0.45, 0}, shares(named("SL-PS"), network, servers, 100, 0, 0), 0.01);
  }

  @Test
  void shortestLatency_followsReportedResponseTimes() {
    NetworkSnapshot network = network(three(MS), three(1e9));
    ImmutableList<Server> servers = Servers.equal(3);
    servers.forEach(server -> open(server, 30));
    report(servers.get(0), 0.9, 40 * MS);
    report(servers.get(1), 0.3, 10 * MS);
    report(servers.get(2), 0.3, 10 * MS);
    double[] shares = shares(named("SL-PS"), network, servers, 30, 30, 30);
    assertTrue(shares[0] < 0.2 && shares[0] > 0, Arrays.toString(shares));
    assertEquals(shares[1], shares[2], 0.03, Arrays.toString(shares));
  }

  @Test
  void widestPath_isPreferredInProportion() {
    NetworkSnapshot network = network(three(MS), new double[] {4e9, 2e9, 2e9});
    ImmutableList<Server> servers = Servers.equal(3);
    assertArrayEquals(
        new double[] {1, 0, 0}, shares(named("HT-PS"), network, servers, 1, 0, 0), 1e-9);
    servers.forEach(server -> open(server, 40));
    // the free capacity is shared by the connections that are placed in the trial alone
    assertArrayEquals(
        new double[] {0.5, 0.25, 0.25}, shares(named("HT-PS"), network, servers, 40, 40, 40), 0.02);
  }

  /**
   * The slow server takes four times as long for each connection in flight: ratios of 2 and 0.5.
   */
  @ParameterizedTest
  @ValueSource(strings = {"PREQUAL", "PREQUAL+SPL"})
  void prequal_givesLessToASlowServer_whileNoLifetimesAreKnown(String rule) {
    ImmutableList<Server> servers = Servers.equal(3);
    servers.forEach(server -> open(server, 100));
    for (int i = 0; i < 8; i++) {
      service.responded(servers.get(0).number(), 1, 8 * MS);
      service.responded(servers.get(1).number(), 1, 2 * MS);
      service.responded(servers.get(2).number(), 1, 2 * MS);
    }
    double[] shares = shares(named(rule), UNKNOWN, servers, 100, 100, 100);
    // slowness of (16 + 8 * 2) / 24 and (16 + 8 * 0.5) / 24, as the mean is 4 ms
    double sum = 20 / 32.0 + 2;
    assertArrayEquals(new double[] {20 / 32.0 / sum, 1 / sum, 1 / sum}, shares, 0.01);

    // lifetimes tell it, too
    double[] known = shares(named(rule), UNKNOWN, servers, three(100), new double[] {9, 9, 9}, 64);
    assertArrayEquals(three(1 / 3.0), known, 0.002);
  }

  /** As the load of the narrow link grows, the others become cheaper. */
  @Test
  void prequal_givesLessToAServerBehindANarrowLink() {
    NetworkSnapshot network = network(three(MS), new double[] {50e6, 1e9, 1e9});
    ImmutableList<Server> servers = Servers.equal(3);
    servers.forEach(server -> open(server, 40));
    double[] shares = shares(named("PREQUAL"), network, servers, 40, 40, 40);
    assertTrue(shares[0] > 0.1 && shares[0] < 0.25, Arrays.toString(shares));
    assertEquals(shares[1], shares[2], 0.002);
    assertArrayEquals(
        three(1 / 3.0), shares(named("PREQUAL+SPL"), network, servers, 40, 40, 40), 0.002);

    // most of the load comes from elsewhere, over other links
    double[] even = three(1 / 3.0);
    Demand small = new Demand(three(40), three(NONE), even, 0.1);
    double[] ofSmall = shares(named("PREQUAL"), network, servers, small, 64);
    assertTrue(ofSmall[0] > shares[0], Arrays.toString(ofSmall));
  }

  @Test
  void prequal_givesLessToAServerThatOtherEdgesPrefer() {
    ImmutableList<Server> servers = Servers.equal(3);
    servers.forEach(server -> open(server, 40));
    Demand demand = new Demand(three(40), three(NONE), new double[] {0.5, 0.25, 0.25}, 0.5);
    double[] shares = shares(named("PREQUAL"), UNKNOWN, servers, demand, 64);
    assertTrue(shares[0] < 0.3 && shares[0] > 0.1, Arrays.toString(shares));
    assertEquals(shares[1], shares[2], 0.002);
  }

  /** All edges respond to the same excess at once. */
  @Test
  void prequalAtManyEdges_settles() {
    ImmutableList<Server> servers = Servers.equal(2);
    double[] before = {0.9, 0.1};
    double far = 0;
    for (int second = 0; second < 40; second++) {
      Demand demand =
          new Demand(new double[] {500, 500}, new double[] {NONE, NONE}, before.clone(), 0.001);
      double[] shares = shares(named("PREQUAL"), UNKNOWN, servers, demand, 64);
      for (int i = 0; i < before.length; i++) {
        before[i] += 0.2 * (shares[i] - before[i]);
      }
      far = second < 20 ? 0 : Math.max(far, Math.abs(before[0] - 0.5));
    }
    assertTrue(far < 0.005, "still off by " + far);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.98, 1.02})
  void prequal_hardlyChangesWithMeasurements(double factor) {
    ImmutableList<Server> servers = Servers.equal(3);
    servers.forEach(server -> open(server, 40));
    NetworkSnapshot network = network(three(MS), new double[] {50e6, 60e6, 70e6});
    NetworkSnapshot other = network(three(MS * factor), new double[] {50e6 * factor, 60e6, 70e6});
    assertArrayEquals(
        shares(named("PREQUAL"), network, servers, 40, 40, 40),
        shares(named("PREQUAL"), other, servers, 40, 40, 40),
        0.01);
  }

  @Test
  void trial_changesNothing() {
    ImmutableList<Server> servers = Servers.equal(3);
    servers.forEach(server -> open(server, 40));
    NetworkSnapshot network = network(three(MS), new double[] {4e9, 2e9, 2e9});
    loads.of(link(1, 8)).add(7);
    double before = network.values().shareBps(Topologies.path(1, 8));
    for (Algorithm algorithm : algorithms().toList()) {
      double[] first = shares(algorithm, network, servers, 40, 40, 40);
      assertArrayEquals(first, shares(algorithm, network, servers, 40, 40, 40), algorithm.name());
    }
    assertEquals(before, network.values().shareBps(Topologies.path(1, 8)));
    assertEquals(7, loads.of(link(1, 8)).now());
    servers.forEach(server -> assertEquals(40, server.load().active()));
    servers.forEach(server -> assertEquals(0, server.load().total()));
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void serverThatCannotBeReached_getsNothing(Algorithm algorithm) {
    ImmutableList<Server> servers =
        ImmutableList.of(Servers.of(1, 1), Servers.of(7, 1), Servers.of(2, 1));
    open(servers.get(1), 50);
    double[] shares = shares(algorithm, UNKNOWN, servers, 0, 50, 0);
    assertArrayEquals(
        new double[] {0.5, 0, 0.5}, shares, algorithm.serverRule().equals("P2C") ? 0.05 : 0.002);
  }

  /** A link in one direction alone is no way to a server and back. */
  @Test
  void serverThatCannotAnswer_getsNothing() {
    Topology oneWay = Topologies.directed(9, List.of(link(9, 1), link(1, 9), link(9, 2)));
    double[] shares = shares(named("RR"), new NetworkSnapshot(oneWay), Servers.equal(2), 0, 0);
    assertArrayEquals(new double[] {1, 0}, shares);
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void noServerInReach_givesNoShares(Algorithm algorithm) {
    assertArrayEquals(new double[1], shares(algorithm, UNKNOWN, List.of(Servers.of(7, 1)), 5));
    assertArrayEquals(new double[0], shares(algorithm, UNKNOWN, List.of()));
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void serverInSlowStart_getsItsPart(Algorithm algorithm) {
    ImmutableList<Server> servers = Servers.equal(3);
    servers.forEach(server -> report(server, 0, NONE));
    servers.get(0).load().setShare(0.4);
    double[] shares = shares(algorithm, UNKNOWN, servers, 100, 100, 100);
    assertEquals(0.4 / 2.4, shares[0], 0.04, Arrays.toString(shares));
  }

  @ParameterizedTest
  @CsvSource({"LC", "P2C", "CPU", "PCT", "PREQUAL+SPL", "PREQUAL"})
  void longerConnections_areFewerNewOnes(String rule) {
    ImmutableList<Server> servers = Servers.equal(3);
    servers.forEach(server -> report(server, 0, NONE));
    double[] open = three(100);
    servers.forEach(server -> open(server, 100));
    // the mean is 20: ratios of 0.5, 1 and 1.5
    double[] shares = shares(named(rule), UNKNOWN, servers, open, new double[] {10, 20, 30}, 64);
    double sum = 2 + 1 + 2 / 3.0;
    assertArrayEquals(new double[] {2 / sum, 1 / sum, 2 / 3.0 / sum}, shares, 0.03);
  }

  @Test
  void unknownLifetime_countsAsTheMean_andExtremesAreCapped() {
    ImmutableList<Server> servers = Servers.equal(3);
    double[] open = three(100);
    servers.forEach(server -> open(server, 100));
    double[] shares =
        shares(named("LC"), UNKNOWN, servers, open, new double[] {0.001, 1_000, NONE}, 64);
    // ratios of 1/3, 2 and 1
    assertArrayEquals(new double[] {3 / 4.5, 0.5 / 4.5, 1 / 4.5}, shares, 0.01);
  }

  @ParameterizedTest
  @ValueSource(strings = {"RR", "WRR"})
  void lifetime_doesNotMatterToTurns(String rule) {
    double[] shares =
        shares(named(rule), UNKNOWN, Servers.equal(3), three(9), new double[] {10, 20, 30}, 64);
    assertArrayEquals(three(1 / 3.0), shares, 0.002);
  }

  @Test
  void connectionLimits_holdUntilAllAreFull() {
    List<Server> servers =
        IntStream.rangeClosed(1, 3)
            .mapToObj(
                number -> {
                  Server server = Servers.of(number, 1);
                  int limit = number == 1 ? 10 : Server.NO_LIMIT;
                  return new Server(
                      number, server.address(), 80, 1, server.at(), limit, server.load());
                })
            .toList();
    double[] shares = shares(named("LC"), UNKNOWN, servers, 0, 0, 100);
    assertEquals(0.1, shares[0], 0.001, Arrays.toString(shares));
    assertEquals(0.9, shares[1] + shares[2], 0.001, Arrays.toString(shares));
    assertArrayEquals(new double[] {1}, shares(named("LC"), UNKNOWN, servers.subList(0, 1), 100));
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void manyConnections_areNoMoreWork(Algorithm algorithm) {
    ImmutableList<Server> servers = Servers.equal(3);
    servers.forEach(server -> report(server, 0, NONE));
    servers.forEach(server -> open(server, 1_000_000));
    servers.get(0).load().add(500_000);
    double[] shares = shares(algorithm, UNKNOWN, servers, 1e6, 1e6, 1e6);
    boolean byLoad =
        List.of("LC", "SL-PS", "HT-PS", "PCT", "PREQUAL").contains(algorithm.serverRule());
    assertEquals(byLoad ? 2 / 9.0 : 1 / 3.0, shares[0], byLoad ? 0.01 : 0.2);
  }

  @Test
  void otherLengths_throw() {
    assertThrows(
        IllegalArgumentException.class,
        () -> shares(named("LC"), UNKNOWN, Servers.equal(2), 1, 2, 3));
    assertThrows(
        IllegalArgumentException.class,
        () -> shares(named("LC"), UNKNOWN, Servers.equal(2), 1, -1));
    assertThrows(
        IllegalArgumentException.class,
        () -> shares(named("LC"), UNKNOWN, Servers.equal(2), 1, NONE));
    assertThrows(
        IllegalArgumentException.class,
        () -> shares(named("LC"), UNKNOWN, Servers.equal(2), new double[2], new double[3], 64));
  }
}
