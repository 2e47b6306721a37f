package io.malob.algorithm.subflow.paper;

import static io.malob.testing.Topologies.link;
import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.HamiltonianSearch;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.Route;
import io.malob.testing.GraphClasses;
import io.malob.testing.Graphs;
import io.malob.testing.Topologies;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;

class TreeRoutesTest {
  private static final HamiltonianSearch.Result ABSENT = new HamiltonianSearch.Absent("so it is");

  private static Route route(Topology topology, DirectedLink first) {
    return new TreeRoutes(topology, topology.switches())
        .route(new FlowIdentity(first, FlowIdentity.ANY_VLAN), link -> 0, ABSENT);
  }

  /** All the ways of sub-flows, by trying all paths: loop-free, complete, over the first link. */
  private static void assertGood(Topology topology, DirectedLink first, Random random) {
    Map<UndirectedLink, Double> loads = new HashMap<>();
    topology
        .links()
        .forEach(link -> loads.put(UndirectedLink.of(link), (double) random.nextInt(9)));
    Route route =
        new TreeRoutes(topology, topology.switches())
            .route(new FlowIdentity(first, 5), link -> loads.getOrDefault(link, 0.0), ABSENT);
    for (DatapathId egress : topology.switches()) {
      if (!egress.equals(first.src())) {
        Path way = upTo(route.branchTo(egress).orElseThrow(), egress);
        List<Path> all = Graphs.allPaths(topology, first.src(), egress);
        List<Path> through =
            all.stream().filter(path -> path.links().get(0).equals(first)).toList();
        List<Path> open = through.isEmpty() ? all : through;
        assertTrue(open.contains(way), () -> way + " in " + topology.links());
        int shortest = open.stream().mapToInt(Path::hops).min().orElseThrow();
        assertTrue(way.hops() <= 2 * shortest, () -> way + " is a detour");
      }
    }
    for (Path branch : route.branches()) {
      assertEquals(branch.hops() + 1, new HashSet<>(branch.switches()).size(), "no loops");
    }
    assertEquals(
        topology.switches().size() - 1, route.links().size(), "a tree has a link per switch");
  }

  private static Path upTo(Path branch, DatapathId egress) {
    int hops = branch.switches().indexOf(egress);
    return new Path(branch.src(), branch.links().subList(0, hops));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6})
  void route_onEveryConnectedGraph_isATreeThatReachesAllThroughTheFirstLink(int switches) {
    Random random = new Random(switches);
    GraphClasses.connected(switches)
        .forEach(
            topology -> topology.links().forEach(first -> assertGood(topology, first, random)));
  }

  /** 2 - 1 - 3 - 4. */
  @Test
  void route_whereTheFirstLinkDoesNotLeadEverywhere_takesOthersAndSaysSo() {
    Topology line = Topologies.of(4, new int[][] {{1, 2}, {1, 3}, {3, 4}});
    Route route = route(line, link(1, 2));
    assertEquals(List.of(path(1, 2), path(1, 3, 4)), route.branches());
    assertEquals(
        "A tree, because no path over all switches begins with this link: so it is; reached over"
            + " other links of the ingress switch, because this one does not lead there:"
            + " 00:00:00:00:00:00:00:03, 00:00:00:00:00:00:00:04.",
        route.reason());
  }

  /** From 1 over 2 to 5, by 3 or 4. */
  @Test
  void route_ofWaysThatAreAsLong_takesThatWhichCarriesLess() {
    Topology diamond = Topologies.of(5, new int[][] {{1, 2}, {2, 3}, {2, 4}, {3, 5}, {4, 5}});
    ImmutableSortedSet<DatapathId> egress = ImmutableSortedSet.of(DatapathId.of(5));
    for (int loaded : new int[] {3, 4}) {
      Route route =
          new TreeRoutes(diamond, egress)
              .route(
                  new FlowIdentity(link(1, 2), 0),
                  link -> link.equals(UndirectedLink.of(link(loaded, 5))) ? 3 : 0,
                  new HamiltonianSearch.GaveUp(7));
      assertEquals(List.of(path(1, 2, 7 - loaded, 5)), route.branches());
      assertEquals(
          "A tree, because no path over all switches was found within 7 steps.", route.reason());
    }
  }

  @Test
  void route_whereThereIsAPathOverAllSwitches_isRefused() {
    Topology line = Topologies.of(2, new int[] {1, 2});
    TreeRoutes trees = new TreeRoutes(line, line.switches());
    FlowIdentity identity = new FlowIdentity(link(1, 2), 0);
    HamiltonianSearch.Result found = new HamiltonianSearch.Found(path(1, 2));
    assertThrows(IllegalArgumentException.class, () -> trees.route(identity, link -> 0, found));
  }

  @Test
  void route_toASwitchThatNothingReaches_isRefused() {
    Topology apart = Topologies.of(3, new int[] {1, 2});
    assertThrows(IllegalArgumentException.class, () -> route(apart, link(1, 2)));
  }
}
