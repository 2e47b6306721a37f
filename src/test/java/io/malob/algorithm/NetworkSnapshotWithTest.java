package io.malob.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValue;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.testing.Topologies;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;

/** Snapshots that follow one another, against ones that are made afresh. */
class NetworkSnapshotWithTest {
  private static final int SWITCHES = 12;

  private final LinkLoads loads = new LinkLoads();
  private final Map<DirectedLink, LinkValue> known = new HashMap<>();

  private static Topology someTopology(Random random) {
    List<int[]> links = new ArrayList<>();
    for (int a = 1; a < SWITCHES; a++) {
      links.add(new int[] {a, a + 1});
    }
    for (int a = 1; a <= SWITCHES; a++) {
      for (int b = a + 2; b <= SWITCHES; b++) {
        if (random.nextInt(100) < 20) {
          links.add(new int[] {a, b});
        }
      }
    }
    return Topologies.of(SWITCHES, links.toArray(new int[0][]));
  }

  private LinkValues values(Topology topology) {
    return LinkValues.of(topology, known, loads, Counting.PLACED_SINCE);
  }

  private void set(DirectedLink link, double millis, double mbps) {
    known.put(
        link,
        new LinkValue(
            OptionalLong.of((long) (millis * 1e6)),
            OptionalDouble.of(mbps * 1e6),
            OptionalDouble.empty()));
  }

  private static Path path(Optional<Path> path) {
    return path.orElseThrow();
  }

  /**
   * Steps of whole milliseconds and tens of Mbit/s are no noise: each path is the best there is.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void with_afterLargeChanges_givesTheBestPaths(long seed) {
    Random random = new Random(seed);
    Topology topology = someTopology(random);
    topology.links().forEach(link -> set(link, 1 + random.nextInt(20), 10 + random.nextInt(9)));
    NetworkSnapshot now = new NetworkSnapshot(values(topology));
    for (int step = 0; step < 40; step++) {
      for (int changes = random.nextInt(3); changes >= 0; changes--) {
        DirectedLink link = topology.links().get(random.nextInt(topology.links().size()));
        set(link, 1 + 3 * random.nextInt(7), 10 * (1 << random.nextInt(4)));
      }
      now = now.with(values(topology));
      assertAsGood(now, new NetworkSnapshot(values(topology)), 0.1, 0.06);
    }
  }

  /** However small the steps are, what is kept stays within noise of the best. */
  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15})
  void with_afterManySmallChanges_staysNearTheBest(long seed) {
    Random random = new Random(seed);
    Topology topology = someTopology(random);
    Map<DirectedLink, double[]> exact = new HashMap<>();
    topology.links().forEach(link -> exact.put(link, new double[] {5 + random.nextInt(9), 50}));
    NetworkSnapshot now = new NetworkSnapshot(values(topology));
    for (int step = 0; step < 60; step++) {
      exact.forEach(
          (link, value) -> {
            value[0] *= 0.98 + 0.04 * random.nextDouble();
            value[1] *= 0.98 + 0.04 * random.nextDouble();
            set(link, value[0], value[1]);
          });
      now = now.with(values(topology));
      assertAsGood(now, new NetworkSnapshot(values(topology)), 0.25, 0.12);
    }
  }

  /**
   * Links break one after the other: what is known is repaired by {@code with} alone, and nothing
   * is left to search for.
   */
  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23, 24, 25, 26})
  void with_afterLinksAreRemoved_repairsWhatIsKnown(long seed) {
    Random random = new Random(seed);
    Topology topology = someTopology(random);
    topology.links().forEach(link -> set(link, 1 + random.nextInt(9), 10 << random.nextInt(3)));
    Set<DatapathId> servers = Set.of(DatapathId.of(2), DatapathId.of(7));
    List<Runnable> asked = new ArrayList<>();
    NetworkSnapshot now = new NetworkSnapshot(values(topology), asked::add);
    assertTrue(now.prepare(servers, true));
    List<DirectedLink> links = new ArrayList<>(topology.links());
    for (int step = 0; step < 10; step++) {
      DirectedLink gone = links.remove(random.nextInt(links.size()));
      links.remove(gone.reversed());
      topology = Topology.of(topology.switches(), links);
      now = now.with(values(topology));
      NetworkSnapshot fresh = new NetworkSnapshot(values(topology));
      for (DatapathId server : servers) {
        for (DatapathId other : topology.switches()) {
          assertSameWays(fresh, now, server, other);
          assertSameWays(fresh, now, other, server);
        }
      }
      assertEquals(List.of(), asked);
    }
  }

  private static void assertSameWays(
      NetworkSnapshot fresh, NetworkSnapshot now, DatapathId src, DatapathId dst) {
    assertEquals(fresh.fewestHops(src, dst), now.fewestHops(src, dst));
    assertEquals(fresh.lowestLatency(src, dst), now.lowestLatency(src, dst));
    assertEquals(fresh.widest(src, dst), now.widest(src, dst));
  }

  /** What is better over a link that is back is found. */
  @Test
  void with_aLinkThatIsBack_isSearchedForAnew() {
    Topology ring = Topologies.of(3, new int[] {1, 2}, new int[] {2, 3}, new int[] {1, 3});
    Topology line = Topologies.of(3, new int[] {1, 2}, new int[] {2, 3});
    DatapathId a = DatapathId.of(1);
    DatapathId b = DatapathId.of(3);
    NetworkSnapshot before = new NetworkSnapshot(values(line));
    assertEquals(Optional.of(Topologies.path(1, 2, 3)), before.fewestHops(a, b));
    assertEquals(Optional.of(Topologies.path(1, 3)), before.with(values(ring)).fewestHops(a, b));
  }

  /** Each kept path is at most that much worse than the best one. */
  private static void assertAsGood(
      NetworkSnapshot now, NetworkSnapshot fresh, double narrower, double slower) {
    LinkValues values = fresh.values();
    for (DatapathId src : fresh.topology().switches()) {
      for (DatapathId dst : fresh.topology().switches()) {
        Path best = path(fresh.lowestLatency(src, dst));
        double allowed = values.latencyNanos(best) * (1 + slower) + 1e5 * SWITCHES;
        double kept = values.latencyNanos(path(now.lowestLatency(src, dst)));
        assertTrue(kept <= allowed, src + " to " + dst + ": " + kept + " against " + allowed);
        assertEquals(
            path(fresh.fewestHops(src, dst)).hops(), path(now.fewestHops(src, dst)).hops());
        double widest = values.shareBps(path(fresh.widest(src, dst)));
        double wide = values.shareBps(path(now.widest(src, dst)));
        assertTrue(
            wide >= widest * (1 - narrower), src + " to " + dst + ": " + wide + " of " + widest);
      }
    }
  }
}
