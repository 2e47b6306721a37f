package io.malob.algorithm.subflow;

import static io.malob.testing.Topologies.link;
import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.testing.GraphClasses;
import io.malob.testing.Graphs;
import io.malob.testing.Topologies;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;

class DisjointRoutesTest {
  private static final DatapathId S1 = DatapathId.of(1);

  private static List<FlowIdentity> identities(Topology topology, DatapathId ingress) {
    return topology.linksFrom(ingress).stream().map(link -> new FlowIdentity(link, 0)).toList();
  }

  private static Path way(Route route, DatapathId egress) {
    Path branch = route.branchTo(egress).orElseThrow();
    return new Path(branch.src(), branch.links().subList(0, branch.switches().indexOf(egress)));
  }

  /** The most paths without a common link, by trying all sets of paths. */
  private static int maxDisjoint(List<Path> paths, int from, Set<UndirectedLink> used) {
    int max = 0;
    for (int i = from; i < paths.size(); i++) {
      Set<UndirectedLink> links = links(paths.get(i));
      if (links.stream().noneMatch(used::contains)) {
        links.addAll(used);
        max = Math.max(max, 1 + maxDisjoint(paths, i + 1, links));
      }
    }
    return max;
  }

  private static Set<UndirectedLink> links(Path path) {
    Set<UndirectedLink> links = new HashSet<>();
    path.links().forEach(link -> links.add(UndirectedLink.of(link)));
    return links;
  }

  private static void assertGood(Topology topology, DatapathId ingress, Random random) {
    Map<UndirectedLink, Double> loads = new HashMap<>();
    topology
        .links()
        .forEach(link -> loads.put(UndirectedLink.of(link), (double) random.nextInt(9)));
    List<FlowIdentity> identities = identities(topology, ingress);
    List<Route> routes =
        new DisjointRoutes(topology, topology.switches())
            .routes(identities, link -> loads.getOrDefault(link, 0.0));
    assertEquals(identities, routes.stream().map(Route::identity).toList());
    for (DatapathId egress : topology.switches()) {
      if (!egress.equals(ingress)) {
        int shortest =
            Graphs.allPaths(topology, ingress, egress).stream()
                .mapToInt(Path::hops)
                .min()
                .orElseThrow();
        for (Route route : routes) {
          Path way = way(route, egress);
          assertEquals(way.hops() + 1, new HashSet<>(way.switches()).size(), "no loops");
          assertTrue(way.hops() <= shortest + 1, () -> way + " in " + topology.links());
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6})
  void routes_onEveryConnectedGraph_reachAllWithoutLoopsOrDetours(int switches) {
    Random random = new Random(switches);
    for (Topology topology : GraphClasses.connected(switches)) {
      topology.switches().forEach(ingress -> assertGood(topology, ingress, random));
    }
  }

  /**
   * For one egress switch at a time, of which no other can take the way. With five switches there
   * are sets of as many and as long paths, of which one has a long path and another has none.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void routes_onEveryConnectedGraph_haveAsManyDisjointPathsAsThereAre(int switches) {
    for (Topology topology : GraphClasses.connected(switches)) {
      for (DatapathId egress : topology.switches()) {
        if (!egress.equals(S1)) {
          assertAsDisjointAsCanBe(topology, egress);
        }
      }
    }
  }

  private static void assertAsDisjointAsCanBe(Topology topology, DatapathId egress) {
    List<Route> routes =
        new DisjointRoutes(topology, ImmutableSortedSet.of(egress))
            .routes(identities(topology, S1), link -> 0);
    List<Path> all = Graphs.allPaths(topology, S1, egress);
    int shortest = all.stream().mapToInt(Path::hops).min().orElseThrow();
    List<Path> shortEnough = all.stream().filter(path -> path.hops() <= shortest + 1).toList();
    List<Path> found = routes.stream().map(route -> way(route, egress)).distinct().toList();
    assertEquals(
        maxDisjoint(shortEnough, 0, Set.of()),
        maxDisjoint(found, 0, Set.of()),
        () -> found + " to " + egress + " in " + topology.links());
  }

  /** The shortest path 1 2 3 4 crosses both others: two without it are more than one with it. */
  @Test
  void routes_whereTheShortestPathIsInTheWay_areTheMostWithoutIt() {
    Topology trap =
        Topologies.of(
            8,
            new int[][] {{1, 2}, {2, 3}, {3, 4}, {2, 5}, {5, 6}, {6, 4}, {1, 7}, {7, 8}, {8, 3}});
    List<Route> routes =
        new DisjointRoutes(trap, ImmutableSortedSet.of(DatapathId.of(4)))
            .routes(identities(trap, S1), link -> 0);
    assertEquals(
        List.of(List.of(path(1, 2, 5, 6, 4)), List.of(path(1, 7, 8, 3, 4))),
        routes.stream().map(Route::branches).toList());
  }

  /** A ring of eight: the way round to a neighbour is seven links long. */
  @Test
  void routes_whereTheOtherWayIsALongDetour_goTogetherAndSaySo() {
    Topology ring =
        Topologies.of(
            8, new int[][] {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}, {8, 1}});
    List<Route> routes =
        new DisjointRoutes(ring, ImmutableSortedSet.of(DatapathId.of(2), DatapathId.of(5)))
            .routes(identities(ring, S1), link -> 0);
    assertEquals(List.of(path(1, 2, 3, 4, 5)), routes.get(0).branches());
    assertEquals(List.of(path(1, 2), path(1, 8, 7, 6, 5)), routes.get(1).branches());
    assertTrue(routes.get(1).reason().contains("1 of 2 switches"), routes.get(1).reason());
  }

  /** From 1 over 2 to 5, by 3 or 4. */
  @Test
  void routes_ofWaysThatAreAsLong_takeThatWhichCarriesLess() {
    Topology topology = Topologies.of(5, new int[][] {{1, 2}, {2, 3}, {2, 4}, {3, 5}, {4, 5}});
    for (int loaded : new int[] {3, 4}) {
      List<Route> routes =
          new DisjointRoutes(topology, ImmutableSortedSet.of(DatapathId.of(5)))
              .routes(
                  identities(topology, S1),
                  link -> link.equals(UndirectedLink.of(link(loaded, 5))) ? 3 : 0);
      assertEquals(List.of(path(1, 2, 7 - loaded, 5)), routes.get(0).branches());
    }
  }

  @Test
  void routes_ofTwoIngressSwitches_areRefused() {
    Topology line = Topologies.of(2, new int[] {1, 2});
    DisjointRoutes routes = new DisjointRoutes(line, line.switches());
    ImmutableList<FlowIdentity> both =
        ImmutableList.of(new FlowIdentity(link(1, 2), 0), new FlowIdentity(link(2, 1), 0));
    assertThrows(IllegalArgumentException.class, () -> routes.routes(both, link -> 0));
  }

  /** Two paths that pass each other's egress switch: no order serves both, but all are reached. */
  @Test
  void branches_thatPassEachOther_reachAllTheSame() {
    Path to3 = path(1, 2, 3);
    Path to2 = path(1, 3, 2);
    Map<DatapathId, Path> wanted = Map.of(DatapathId.of(3), to3, DatapathId.of(2), to2);
    assertEquals(List.of(to2), BranchOrder.of(wanted));
    Path own = path(1, 2);
    assertEquals(
        List.of(own, path(1, 3, 2, 4)),
        BranchOrder.of(Map.of(DatapathId.of(2), own, DatapathId.of(4), path(1, 3, 2, 4))));
  }
}
