package io.malob.algorithm.joint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Ordering;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Explanation;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.TransferTime;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.testing.Graphs;
import io.malob.testing.Servers;
import io.malob.testing.Topologies;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;

/** SL-PS, HT-PS and PCT against brute force over all servers and paths, and without data. */
class JointRulesTest {
  private static final DatapathId CLIENT = DatapathId.of(1);
  private static final double MS = 1e6;
  private static final Comparator<Iterable<Double>> BY_COST =
      Ordering.<Double>natural().lexicographical();

  /**
   * Servers 1 and 2 at switches 2 and 3, both two links from the client by switches of their own.
   */
  private static final Topology FORK =
      Topologies.of(5, new int[] {1, 4}, new int[] {4, 2}, new int[] {1, 5}, new int[] {5, 3});

  private final Request request = Request.from(CLIENT);

  private static Placer placer(String name, List<Server> servers, Counting counting) {
    return JointRules.placer(
        new Algorithm(name), ImmutableList.copyOf(servers), new AtomicInteger(), counting);
  }

  /** What the rules promise, over all paths; in the order in which it counts. */
  private static List<Double> cost(
      String rule, NetworkSnapshot network, Server server, Path there, Path back) {
    LinkValues values = network.values();
    double roundTrip = (double) (values.latencyNanos(there) + values.latencyNanos(back));
    double hops = there.hops() + back.hops();
    double load = (server.load().present() + 1.0) / server.weight();
    double id = server.number();
    return switch (rule) {
      case "SL-PS" -> {
        double wait = server.load().expectedWaitNanos(server.weight(), Counting.PLACED_SINCE);
        yield List.of(roundTrip + wait, hops, load, id);
      }
      case "HT-PS" -> List.of(-values.shareBps(back), roundTrip, hops, load, id);
      default -> List.of(predicted(values, server, there, back), hops, load, id);
    };
  }

  private static double predicted(LinkValues values, Server server, Path there, Path back) {
    double roundTrip = (double) values.latencyNanos(there) + values.latencyNanos(back);
    return TransferTime.nanos(65_536, roundTrip, Math.max(1, values.shareBps(back)))
        + 2_048 * 8 * 1e9 / Math.max(1, values.shareBps(there))
        + 10 * MS * (server.load().present() + 1) / server.weight();
  }

  /** The path that the rule takes in one direction, of all paths or of those that PCT knows. */
  private static Path best(String rule, NetworkSnapshot network, DatapathId src, DatapathId dst) {
    LinkValues values = network.values();
    Comparator<Path> quick =
        Comparator.comparingLong(values::latencyNanos).thenComparingInt(Path::hops);
    Comparator<Path> order =
        rule.equals("SL-PS")
            ? quick
            : Comparator.<Path>comparingDouble(path -> -values.shareBps(path)).thenComparing(quick);
    return Graphs.allPaths(network.topology(), src, dst).stream().min(order).orElseThrow();
  }

  private static List<Double> leastCost(String rule, NetworkSnapshot network, Server server) {
    DatapathId at = server.at().switchId();
    if (!rule.equals("PCT")) {
      return cost(
          rule, network, server, best(rule, network, CLIENT, at), best(rule, network, at, CLIENT));
    }
    Path there = quickest(network, CLIENT, at, 0, 2_048);
    double latencyThere = (double) network.values().latencyNanos(there);
    return cost(rule, network, server, there, quickest(network, at, CLIENT, latencyThere, 65_536));
  }

  private static Path quickest(
      NetworkSnapshot network, DatapathId src, DatapathId dst, double before, double bytes) {
    LinkValues values = network.values();
    List<Path> known = new ArrayList<>(network.shortest(src, dst));
    known.add(network.widest(src, dst).orElseThrow());
    return known.stream()
        .min(
            Comparator.comparingDouble(
                path ->
                    TransferTime.nanos(
                        bytes,
                        before + values.latencyNanos(path),
                        Math.max(1, values.shareBps(path)))))
        .orElseThrow();
  }

  /** Servers at all switches but the client's, and connections on servers and links. */
  private static List<Server> someServers(Topology topology, LinkLoads loads, Random random) {
    topology.links().forEach(link -> loads.of(link).add(random.nextInt(3)));
    return IntStream.rangeClosed(2, topology.switches().size())
        .mapToObj(
            number -> {
              Server server = Servers.of(number, 1 + random.nextInt(2));
              IntStream.range(0, random.nextInt(3)).forEach(i -> server.load().opened());
              if (random.nextInt(4) != 0) {
                server.load().reported(random.nextInt(5) / 4.0, random.nextInt(4) * MS);
              }
              if (random.nextInt(4) == 0) {
                server.load().forgetReport();
              }
              return server;
            })
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "SL-PS, 2", "SL-PS, 3", "SL-PS, 4", "SL-PS, 5", "SL-PS, 6",
    "HT-PS, 2", "HT-PS, 3", "HT-PS, 4", "HT-PS, 5", "HT-PS, 6",
    "PCT, 2", "PCT, 3", "PCT, 4", "PCT, 5", "PCT, 6"
  })
  void place_onEveryConnectedGraph_costsLeast(String rule, int switches) {
    Random random = new Random(switches);
    Graphs.connected(switches).forEach(topology -> assertCostsLeast(rule, topology, random));
  }

  private void assertCostsLeast(String rule, Topology topology, Random random) {
    LinkLoads loads = new LinkLoads();
    int[] unknown = {1, 2, 10, 1_000};
    NetworkSnapshot network =
        new NetworkSnapshot(
            LinkValues.of(
                topology,
                Graphs.values(topology, unknown[random.nextInt(unknown.length)], random),
                loads,
                Counting.PLACED_SINCE));
    List<Server> servers = someServers(topology, loads, random);
    // of large graphs, of which there are many, two servers
    List<Server> some = servers.size() < 5 ? servers : servers.subList(3, 5);
    Placer placer = placer(rule, some, Counting.PLACED_SINCE);
    Placement placed = assertInstanceOf(Placement.class, placer.place(request, network));
    assertEquals(
        some.stream().map(server -> leastCost(rule, network, server)).min(BY_COST).orElseThrow(),
        cost(rule, network, placed.server(), placed.requestPath(), placed.replyPath()),
        () -> placed + " of " + some + " in " + topology.links());
  }

  /** Connections to each of two servers, of so many placed in a row between two measurements. */
  private int[] spread(String rule, int connections, LinkValues values, LinkLoads loads) {
    List<Server> servers = List.of(Servers.on(1, 1, 2), Servers.on(2, 1, 3));
    Placer placer = placer(rule, servers, values.counting());
    NetworkSnapshot network = new NetworkSnapshot(values);
    int[] counts = new int[2];
    for (int i = 0; i < connections; i++) {
      Placement placed = assertInstanceOf(Placement.class, placer.place(request, network));
      counts[placed.server().number() - 1]++;
      placed.server().load().opened();
      loads.along(placed.replyPath()).forEach(load -> load.add(1));
      loads.along(placed.requestPath()).forEach(load -> load.add(1));
      placer.loadChanged(placed.server());
    }
    return counts;
  }

  private static LinkValues alike(boolean known, LinkLoads loads, Counting counting) {
    return LinkValues.of(
        FORK,
        known
            ? FORK.links().stream()
                .collect(Collectors.toMap(l -> l, l -> Graphs.value(1_000, 9e6, 9e6)))
            : Map.of(),
        loads,
        counting);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SL-PS", "HT-PS", "PCT"})
  void place_manyBetweenMeasurements_spreadsThemOverEqualWays(String rule) {
    for (boolean known : new boolean[] {true, false}) {
      LinkLoads loads = new LinkLoads();
      int[] counts = spread(rule, 31, alike(known, loads, Counting.PLACED_SINCE), loads);
      assertTrue(Math.abs(counts[0] - counts[1]) <= 1, counts[0] + " and " + counts[1]);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"SL-PS", "HT-PS", "PCT"})
  void place_manyBetweenMeasurementsThatAloneCount_goTheSameWay(String rule) {
    for (boolean known : new boolean[] {true, false}) {
      LinkLoads loads = new LinkLoads();
      int[] counts = spread(rule, 31, alike(known, loads, Counting.MEASURED_ONLY), loads);
      assertEquals(31, counts[0]);
    }
  }

  /** Measured as full, and nobody knows what of: every way takes for ever. */
  @Test
  void pct_whereAllLinksAreFull_spreadsByLoad() {
    LinkLoads loads = new LinkLoads();
    LinkValues full =
        LinkValues.of(
            FORK,
            FORK.links().stream().collect(Collectors.toMap(l -> l, l -> Graphs.value(1_000, 0, 0))),
            loads,
            Counting.PLACED_SINCE);
    NetworkSnapshot network = new NetworkSnapshot(full);
    Server busy = Servers.on(1, 1, 2);
    busy.load().opened();
    Server idle = Servers.on(2, 1, 3);
    Placer placer = placer("PCT", List.of(busy, idle), Counting.PLACED_SINCE);
    Explanation explained = placer.explain(request, network);
    assertEquals(idle, assertInstanceOf(Placement.class, explained.result()).server());
    explained
        .candidates()
        .forEach(
            candidate ->
                assertTrue(
                    Double.isFinite(candidate.values().getOrDefault("predicted_ms", Double.NaN))));
  }

  /** Nothing is known: the nearer server, though the other switch has the smaller id. */
  @ParameterizedTest
  @ValueSource(strings = {"SL-PS", "HT-PS", "PCT"})
  void place_withoutData_takesTheFewestLinks(String rule) {
    Topology line = Topologies.of(4, new int[] {1, 4}, new int[] {1, 3}, new int[] {3, 2});
    Placer placer =
        placer(rule, List.of(Servers.on(1, 1, 2), Servers.on(2, 1, 4)), Counting.PLACED_SINCE);
    Placement placed =
        assertInstanceOf(Placement.class, placer.place(request, new NetworkSnapshot(line)));
    assertEquals(2, placed.server().number());
  }
}
