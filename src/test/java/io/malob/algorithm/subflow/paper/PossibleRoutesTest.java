package io.malob.algorithm.subflow.paper;

import static java.util.stream.Collectors.toSet;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.HamiltonianSearch;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.subflow.Network;
import io.malob.testing.Graphs;
import io.malob.testing.Topologies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class PossibleRoutesTest {

  /** All of five switches are neighbours, S1 and S2 twice. */
  private static Topology fullWithParallelLink() {
    List<DirectedLink> links = new ArrayList<>();
    for (int a = 1; a <= 5; a++) {
      for (int b = 1; b <= 5; b++) {
        if (a != b) {
          links.add(Topologies.link(a, b));
        }
      }
    }
    DatapathId one = DatapathId.of(1);
    DatapathId two = DatapathId.of(2);
    links.add(new DirectedLink(one, OFPort.of(12), two, OFPort.of(21)));
    links.add(new DirectedLink(two, OFPort.of(21), one, OFPort.of(12)));
    return Topology.of(LongStream.rangeClosed(1, 5).mapToObj(DatapathId::of).toList(), links);
  }

  private static SearchedPaths paths(Topology topology, Network network, DirectedLink first) {
    HamiltonianSearch search = new HamiltonianSearch(topology);
    HamiltonianSearch.Result found = search.find(first, Set.of(), 1);
    assertTrue(found instanceof HamiltonianSearch.Found);
    return new SearchedPaths(
        network, search, first, network.numbers(((HamiltonianSearch.Found) found).path()));
  }

  private static void assertIsPath(Network network, int first, int[] way) {
    assertEquals(first, way[0]);
    assertEquals(network.switchCount() - 1, way.length);
    assertEquals(
        network.switchCount() - 1, Arrays.stream(way).map(network::target).distinct().count());
    for (int i = 1; i < way.length; i++) {
      assertEquals(network.target(way[i - 1]), network.source(way[i]));
    }
  }

  /** A way near to one; empty if the draw gave none. */
  private static int[] near(PossibleRoutes ways, int[] way, SplittableRandom random) {
    Neighborhood around = ways.around(way);
    return around.draw(random) ? around.changed() : PossibleRoutes.NONE;
  }

  @Test
  void near_ofPathsInAFullNetwork_comesToAllOfThem() {
    Topology topology = fullWithParallelLink();
    Network network = new Network(topology);
    DirectedLink first = Topologies.link(3, 1);
    SearchedPaths paths = paths(topology, network, first);
    SplittableRandom random = new SplittableRandom(1);
    int[] way = paths.start(random);
    Set<List<Integer>> seen = new HashSet<>();
    for (int i = 0; i < 5000; i++) {
      int[] other = near(paths, way, random);
      if (other.length > 0) {
        way = other;
        assertIsPath(network, network.number(first), way);
        seen.add(Arrays.stream(way).boxed().toList());
      }
    }
    // of the 3! orders of S2, S4, S5 after S1, four use the link of S1 and S2 or not: 2 begin with
    // S2
    assertEquals(6 + 2, seen.size());
  }

  @Test
  void without_aLink_hasNothingOnItAndBeginsAsAlways() {
    Topology topology = fullWithParallelLink();
    Network network = new Network(topology);
    DirectedLink first = Topologies.link(3, 1);
    SearchedPaths paths = paths(topology, network, first);
    SplittableRandom random = new SplittableRandom(1);
    int edge = network.edge(network.number(Topologies.link(4, 5)));
    for (int i = 0; i < 50; i++) {
      int[] way = paths.without(edge, paths.any(random), random);
      assertIsPath(network, network.number(first), way);
      assertTrue(Arrays.stream(way).noneMatch(link -> network.edge(link) == edge));
    }
    int firstEdge = network.edge(network.number(first));
    assertArrayEquals(PossibleRoutes.NONE, paths.without(firstEdge, paths.any(random), random));
  }

  @Test
  void trees_onRandomNetworks_reachEveryEgressAndNoLoops() {
    for (int seed = 0; seed < 200; seed++) {
      Topology topology = Graphs.random(8, seed % 8, new Random(seed));
      Network network = new Network(topology);
      boolean[] egress = new boolean[8];
      SplittableRandom random = new SplittableRandom(seed);
      IntStream.range(0, 8).forEach(number -> egress[number] = random.nextBoolean());
      int first = network.number(topology.links().get(seed % topology.links().size()));
      int ingress = network.source(first);
      egress[ingress] = false;
      egress[(ingress + 1) % 8] = true;
      Trees trees = new Trees(network, first, egress, PossibleRoutes.NONE);
      int[] way = trees.any(random);
      for (int i = 0; i < 20; i++) {
        assertIsTree(network, ingress, egress, way);
        assertTrue(trees.allow(way));
        int[] other = near(trees, way, random);
        way = other.length > 0 ? other : way;
      }
    }
  }

  private static void assertIsTree(Network network, int ingress, boolean[] egress, int[] way) {
    boolean[] reached = new boolean[network.switchCount()];
    boolean[] inner = new boolean[network.switchCount()];
    reached[ingress] = true;
    for (int link : way) {
      assertTrue(reached[network.source(link)], "in order");
      assertTrue(!reached[network.target(link)], "once");
      reached[network.target(link)] = true;
      inner[network.source(link)] = true;
    }
    for (int number = 0; number < reached.length; number++) {
      assertTrue(reached[number] || !egress[number], "all egresses");
      assertTrue(!reached[number] || inner[number] || egress[number] || number == ingress, "leaf");
    }
  }

  @Test
  void trees_whereTheFirstLinkReachesPart_takeOthersForTheRestOnly() {
    // S1 joins S2-S3-S4 (a triangle with S1 at two of them) and S5
    Topology topology =
        Topologies.of(5, new int[][] {{1, 2}, {1, 3}, {2, 3}, {3, 4}, {2, 4}, {1, 5}});
    Network network = new Network(topology);
    boolean[] egress = {false, true, true, true, true};
    int first = network.number(Topologies.link(1, 2));
    Trees trees = new Trees(network, first, egress, PossibleRoutes.NONE);
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 100; i++) {
      Set<DirectedLink> fromIngress = new HashSet<>();
      for (int link : trees.any(random)) {
        if (network.source(link) == network.source(first)) {
          fromIngress.add(network.link(link));
        }
      }
      assertEquals(Set.of(Topologies.link(1, 2), Topologies.link(1, 5)), fromIngress);
    }
  }

  @Test
  void draw_onRandomNetworks_tellsExactlyTheEdgesThatChange() {
    int pathsChanged = 0;
    int treesChanged = 0;
    for (int seed = 0; seed < 100; seed++) {
      Topology topology = Graphs.random(8, 6 + seed % 20, new Random(seed));
      Network network = new Network(topology);
      SplittableRandom random = new SplittableRandom(seed);
      DirectedLink link = topology.links().get(seed % topology.links().size());
      int first = network.number(link);
      boolean[] egress = new boolean[8];
      Arrays.fill(egress, true);
      egress[network.source(first)] = false;
      Trees trees = new Trees(network, first, egress, PossibleRoutes.NONE);
      treesChanged += assertEdgesAreTold(network, trees, trees.any(random), random);
      HamiltonianSearch search = new HamiltonianSearch(topology);
      List<int[]> all =
          search.all(link, Set.of(), 1000).paths().stream().map(network::numbers).toList();
      if (!all.isEmpty()) {
        PossibleRoutes listed = new ListedPaths(network, ImmutableList.copyOf(all));
        PossibleRoutes searched = new SearchedPaths(network, search, link, all.get(0));
        assertEdgesAreTold(network, listed, all.get(0), random);
        pathsChanged += assertEdgesAreTold(network, searched, all.get(0), random);
      }
    }
    assertTrue(pathsChanged > 500, "paths changed: " + pathsChanged);
    assertTrue(treesChanged > 1000, "trees changed: " + treesChanged);
  }

  private static int assertEdgesAreTold(
      Network network, PossibleRoutes ways, int[] start, SplittableRandom random) {
    int changes = 0;
    int[] way = start;
    for (int i = 0; i < 100; i++) {
      Neighborhood around = ways.around(way);
      if (around.draw(random)) {
        int[] changed = around.changed();
        Set<Integer> before = edges(network, way);
        Set<Integer> after = edges(network, changed);
        assertEquals(way.length, before.size());
        assertEquals(
            Sets.difference(before, after),
            IntStream.range(0, around.leftCount()).mapToObj(around::left).collect(toSet()));
        assertEquals(
            Sets.difference(after, before),
            IntStream.range(0, around.enteredCount()).mapToObj(around::entered).collect(toSet()));
        if (!(ways instanceof Trees)) {
          assertIsPath(network, start[0], changed);
        }
        way = changed;
        changes++;
      }
    }
    return changes;
  }

  private static Set<Integer> edges(Network network, int[] way) {
    return Arrays.stream(way).map(network::edge).boxed().collect(toSet());
  }
}
