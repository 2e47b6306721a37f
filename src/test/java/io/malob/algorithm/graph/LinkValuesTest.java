package io.malob.algorithm.graph;

import static io.malob.testing.Topologies.link;
import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Counting;
import io.malob.testing.Graphs;
import io.malob.testing.Topologies;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;

class LinkValuesTest {
  private static final DatapathId S1 = DatapathId.of(1);
  private static final DatapathId S4 = DatapathId.of(4);

  /** A rule as code under test, and as an order of all simple paths. */
  private record Rule(
      BiFunction<DatapathId, DatapathId, Optional<Path>> search, Comparator<Path> order) {}

  /** The values as the rules are to see them, worked out apart from the code under test. */
  private record Oracle(Map<DirectedLink, LinkValue> known, long slowest, double narrowest) {
    Oracle(Map<DirectedLink, LinkValue> known) {
      this(
          known,
          known.values().stream()
              .mapToLong(value -> value.latencyNanos().orElse(0))
              .max()
              .orElse(0),
          known.values().stream()
              .mapToDouble(value -> value.throughputBps().orElse(Double.MAX_VALUE))
              .min()
              .orElse(Double.MAX_VALUE));
    }

    double latency(Path path) {
      double sum = 0;
      for (DirectedLink link : path.links()) {
        sum += value(link).latencyNanos().orElse(slowest);
      }
      return sum;
    }

    double width(Path path) {
      double min = Double.MAX_VALUE;
      for (DirectedLink link : path.links()) {
        min = Math.min(min, value(link).throughputBps().orElse(narrowest));
      }
      return min;
    }

    private LinkValue value(DirectedLink link) {
      return known.getOrDefault(link, LinkValue.UNKNOWN);
    }
  }

  private static final Comparator<Path> BY_IDS =
      (a, b) -> {
        for (int i = 0; i < Math.min(a.hops(), b.hops()); i++) {
          int difference = a.links().get(i).compareTo(b.links().get(i));
          if (difference != 0) {
            return difference;
          }
        }
        return 0;
      };

  private static List<Rule> rules(LinkValues values, Oracle oracle) {
    Comparator<Path> hops = Comparator.comparingInt(Path::hops);
    Comparator<Path> latency = Comparator.comparingDouble(oracle::latency);
    Comparator<Path> width = Comparator.comparingDouble(path -> -oracle.width(path));
    return List.of(
        new Rule(
            (src, dst) -> best(values, PathOrder.FEWEST_HOPS, src, dst),
            hops.thenComparing(latency).thenComparing(BY_IDS)),
        new Rule(
            (src, dst) -> best(values, PathOrder.LOWEST_LATENCY, src, dst),
            latency.thenComparing(hops).thenComparing(BY_IDS)),
        new Rule(
            (src, dst) -> best(values, PathOrder.WIDEST, src, dst),
            width.thenComparing(latency).thenComparing(hops).thenComparing(BY_IDS)));
  }

  /** Few different values, so that there are ties; some unknown. */
  private static Map<DirectedLink, LinkValue> someValues(Topology topology, Random random) {
    Map<DirectedLink, LinkValue> known = new HashMap<>();
    for (DirectedLink link : topology.links()) {
      known.put(
          link,
          new LinkValue(
              random.nextInt(8) == 0 ? OptionalLong.empty() : OptionalLong.of(random.nextInt(5)),
              random.nextInt(8) == 0
                  ? OptionalDouble.empty()
                  : OptionalDouble.of(random.nextInt(4)),
              OptionalDouble.empty()));
    }
    return known;
  }

  private static void assertSameAsBruteForce(Topology topology, Random random) {
    Map<DirectedLink, LinkValue> known = someValues(topology, random);
    LinkValues values = values(topology, known);
    List<Rule> rules = rules(values, new Oracle(known));
    List<DatapathId> switches = topology.switches().asList();
    DatapathId src = switches.get(random.nextInt(switches.size()));
    // one destination of large graphs: there are many graphs
    DatapathId only = switches.get(random.nextInt(switches.size()));
    for (DatapathId dst : switches.size() < 6 ? switches : List.of(only)) {
      List<Path> all = Graphs.allPaths(topology, src, dst);
      for (int rule = 0; rule < rules.size(); rule++) {
        int number = rule;
        assertEquals(
            all.stream().min(rules.get(rule).order()),
            rules.get(rule).search().apply(src, dst),
            () -> "rule " + number + ", " + src + " to " + dst + " with " + known);
      }
    }
  }

  /** All undirected graphs of so many switches. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void bestPaths_onEveryGraph_areTheBestOfAllPaths(int switches) {
    List<int[]> pairs = new ArrayList<>();
    for (int a = 1; a <= switches; a++) {
      for (int b = a + 1; b <= switches; b++) {
        pairs.add(new int[] {a, b});
      }
    }
    Random random = new Random(switches);
    for (int chosen = 0; chosen < 1 << pairs.size(); chosen++) {
      List<int[]> links = new ArrayList<>();
      for (int i = 0; i < pairs.size(); i++) {
        if ((chosen >>> i & 1) != 0) {
          links.add(pairs.get(i));
        }
      }
      assertSameAsBruteForce(Topologies.of(switches, links.toArray(new int[0][])), random);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void bestPaths_onRandomDirectedGraphs_areTheBestOfAllPaths(int seed) {
    Random random = new Random(seed);
    for (int trial = 0; trial < 200; trial++) {
      int switches = 2 + random.nextInt(5);
      List<DirectedLink> links = new ArrayList<>();
      for (int a = 1; a <= switches; a++) {
        for (int b = 1; b <= switches; b++) {
          if (a != b && random.nextInt(100) < 45) {
            links.add(link(a, b));
          }
        }
      }
      assertSameAsBruteForce(Topologies.directed(switches, links), random);
    }
  }

  /*
   *        wide, slow
   *      1 ========== 2 --- 4      the link 2 - 4 is narrow: of both ways to 2, the fast one is
   *       \- 3 ------/             the better beginning, though a narrower one
   */
  @Test
  void widest_beforeANarrowLink_takesTheFasterWay() {
    Topology topology =
        Topologies.of(4, new int[] {1, 2}, new int[] {1, 3}, new int[] {3, 2}, new int[] {2, 4});
    LinkValues values =
        values(
            topology,
            Map.of(
                link(1, 2), value(50, 100),
                link(1, 3), value(1, 20),
                link(3, 2), value(1, 20),
                link(2, 4), value(1, 10)));
    assertEquals(Optional.of(path(1, 3, 2, 4)), best(values, PathOrder.WIDEST, S1, S4));
    assertEquals(Optional.of(path(1, 2)), best(values, PathOrder.WIDEST, S1, DatapathId.of(2)));
  }

  @Test
  void unknownLink_countsAsTheWorst() {
    Topology topology =
        Topologies.of(4, new int[] {1, 2}, new int[] {2, 4}, new int[] {1, 3}, new int[] {3, 4});
    LinkValues values =
        values(
            topology,
            Map.of(
                link(1, 2), LinkValue.UNKNOWN,
                link(2, 4), value(3, 100),
                link(1, 3), value(9, 90),
                link(3, 4), value(2, 90)));
    assertEquals(Optional.of(path(1, 3, 4)), best(values, PathOrder.WIDEST, S1, S4));
    assertEquals(12, values.latencyNanos(path(1, 2, 4)));
    assertEquals(Optional.of(path(1, 3, 4)), best(values, PathOrder.LOWEST_LATENCY, S1, S4));
    assertEquals(90, values.shareBps(path(1, 2, 4)));
  }

  @Test
  void bottleneck_withinOneSwitch_isInfinite() {
    LinkValues values = LinkValues.unknown(Topologies.of(1));
    assertTrue(Double.isInfinite(values.shareBps(Path.within(S1))));
  }

  @Test
  void paths_ofSwitchThatIsNotThere_areEmpty() {
    LinkValues values = LinkValues.unknown(Topologies.of(1));
    assertEquals(Optional.empty(), best(values, PathOrder.WIDEST, S4, S1));
    assertEquals(Optional.empty(), best(values, PathOrder.LOWEST_LATENCY, S4, S1));
    assertEquals(Optional.empty(), best(values, PathOrder.WIDEST, S1, S4));
    assertEquals(Optional.of(path(1)), best(values, PathOrder.WIDEST, S1, S1));
  }

  private static LinkValues values(Topology topology, Map<DirectedLink, LinkValue> known) {
    return LinkValues.of(topology, known, new LinkLoads(), Counting.PLACED_SINCE);
  }

  /** The best path; it is the same whichever of its ends is searched from. */
  private static Optional<Path> best(
      LinkValues values, PathOrder order, DatapathId src, DatapathId dst) {
    Optional<Path> fromSource = values.searches().from(src, order).path(src, dst);
    Optional<Path> toDestination = values.searches().to(dst, order).path(src, dst);
    assertEquals(fromSource, toDestination, () -> order + " from " + src + " to " + dst);
    return fromSource;
  }

  /** The widest paths between a switch and all others, from there and to there. */
  private static List<BestPaths> widest(LinkValues values, DatapathId root) {
    PathSearches searches = values.searches();
    return List.of(searches.from(root, PathOrder.WIDEST), searches.to(root, PathOrder.WIDEST));
  }

  private static boolean hold(BestPaths before, LinkValues now) {
    return now.searches().hold(before, PathOrder.WIDEST);
  }

  /** Nothing was known when the paths were searched for. */
  @Test
  void hold_ofWidestPathsWhenThroughputsBecomeKnown_isFalse() {
    Topology topology = Topologies.of(2, new int[] {1, 2});
    LinkValues now = values(topology, Map.of(link(1, 2), value(1, 10)));
    for (BestPaths before : widest(LinkValues.unknown(topology), S1)) {
      assertFalse(hold(before, now));
    }
  }

  /* 1 - 2 - 4 and 1 - 3 - 4: equally wide, and what was the faster one is the slower one now. */
  @Test
  void hold_whenLatenciesOfEquallyWidePathsChange_isFalse() {
    Topology topology =
        Topologies.of(4, new int[] {1, 2}, new int[] {2, 4}, new int[] {1, 3}, new int[] {3, 4});
    LinkValues values = values(topology, latencies(topology, 2, 5_000_000));
    LinkValues like = values(topology, latencies(topology, 2, 5_050_000));
    LinkValues changed = values(topology, latencies(topology, 3, 5_000_000));
    BestPaths fromS1 = widest(values, S1).get(0);
    BestPaths toS4 = widest(values, S4).get(1);
    for (BestPaths before : List.of(fromS1, toS4)) {
      assertEquals(Optional.of(path(1, 3, 4)), before.path(S1, S4));
      assertTrue(hold(before, like));
      assertFalse(hold(before, changed));
    }
  }

  /** However values change, what holds is as good as what would be found again. */
  @ParameterizedTest
  @EnumSource(PathOrder.class)
  void hold_afterAnyChange_isTrueOfTheBestPathsOnly(PathOrder order) {
    Random random = new Random(order.name().hashCode());
    int held = 0;
    for (int trial = 0; trial < 3_000; trial++) {
      Topology topology = Graphs.random(3 + random.nextInt(6), 6, random);
      Map<DirectedLink, LinkValue> known = new HashMap<>();
      topology.links().forEach(link -> known.put(link, someValue(random)));
      List<BestPaths> before = new ArrayList<>();
      for (DatapathId root : topology.switches()) {
        before.add(values(topology, known).searches().from(root, order));
        before.add(values(topology, known).searches().to(root, order));
      }
      known.put(topology.links().get(random.nextInt(topology.links().size())), someValue(random));
      LinkValues now = values(topology, known);
      for (BestPaths paths : before) {
        if (now.searches().hold(paths, order)) {
          held++;
          assertTheBest(paths, now, order);
        }
      }
    }
    assertTrue(held > 1_000, "only " + held + " ever held");
  }

  private static void assertTheBest(BestPaths kept, LinkValues now, PathOrder order) {
    BestPaths fresh = now.searches().again(kept, order);
    for (DatapathId other : now.topology().switches()) {
      DatapathId src = kept.isFromRoot() ? kept.root() : other;
      DatapathId dst = kept.isFromRoot() ? other : kept.root();
      Path keptPath = kept.path(src, dst).orElseThrow();
      Path freshPath = fresh.path(src, dst).orElseThrow();
      if (order == PathOrder.FEWEST_HOPS) {
        assertEquals(freshPath.hops(), keptPath.hops());
      }
      if (order == PathOrder.WIDEST) {
        assertEquals(now.shareBps(freshPath), now.shareBps(keptPath));
      }
      assertEquals(now.latencyNanos(freshPath), now.latencyNanos(keptPath));
    }
  }

  /** So far apart that no change is noise. */
  private static LinkValue someValue(Random random) {
    return value(1_000_000L * (1 + random.nextInt(5)), 100 << random.nextInt(5));
  }

  /** All links equally wide, those from one switch slower than the others. */
  private static Map<DirectedLink, LinkValue> latencies(Topology topology, long slow, long nanos) {
    Map<DirectedLink, LinkValue> known = new HashMap<>();
    topology
        .links()
        .forEach(
            link ->
                known.put(
                    link, value(link.src().equals(DatapathId.of(slow)) ? nanos : 1_000_000, 100)));
    return known;
  }

  private static LinkValue value(long latencyNanos, double throughputBps) {
    return new LinkValue(
        OptionalLong.of(latencyNanos), OptionalDouble.of(throughputBps), OptionalDouble.empty());
  }
}
