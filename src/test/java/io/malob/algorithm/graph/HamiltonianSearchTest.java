package io.malob.algorithm.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.HamiltonianSearch.Absent;
import io.malob.algorithm.graph.HamiltonianSearch.Found;
import io.malob.algorithm.graph.HamiltonianSearch.GaveUp;
import io.malob.algorithm.graph.HamiltonianSearch.Listing;
import io.malob.algorithm.graph.HamiltonianSearch.Result;
import io.malob.testing.GraphClasses;
import io.malob.testing.Graphs;
import io.malob.testing.HamiltonianFamily;
import io.malob.testing.Topologies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class HamiltonianSearchTest {
  private static final int PLENTY = 10_000;

  /** All paths over all switches, by trying all ways. */
  private static List<Path> bruteForce(Topology topology, DatapathId src) {
    return topology.switches().stream()
        .filter(end -> !end.equals(src))
        .flatMap(end -> Graphs.allPaths(topology, src, end).stream())
        .filter(path -> path.hops() == topology.switches().size() - 1)
        .toList();
  }

  private static Set<Path> allowed(
      List<Path> paths, DirectedLink first, Set<UndirectedLink> forbidden) {
    return paths.stream()
        .filter(path -> path.links().get(0).equals(first))
        .filter(
            path ->
                path.links().stream()
                    .skip(1)
                    .noneMatch(link -> forbidden.contains(UndirectedLink.of(link))))
        .collect(Collectors.toSet());
  }

  private static void assertSame(
      Topology topology, List<Path> paths, DirectedLink first, Set<UndirectedLink> forbidden) {
    HamiltonianSearch search = new HamiltonianSearch(topology);
    Set<Path> expected = allowed(paths, first, forbidden);
    Supplier<String> where =
        () -> "from " + first + " without " + forbidden + " over " + topology.links();
    Listing all = search.all(first, forbidden, PLENTY);
    assertTrue(all.complete(), where);
    assertEquals(expected.size(), all.paths().size(), where);
    assertEquals(expected, Set.copyOf(all.paths()), where);
    for (Result result :
        List.of(
            search.find(first, forbidden, 1),
            search.random(first, forbidden, new SplittableRandom(1)))) {
      if (expected.isEmpty()) {
        assertInstanceOf(Absent.class, result, where);
      } else {
        assertTrue(expected.contains(assertInstanceOf(Found.class, result, where).path()), where);
      }
    }
  }

  /** Without forbidden links, and without some. */
  private static void assertSameAsBruteForce(Topology topology, Random random) {
    for (DatapathId src : topology.switches()) {
      List<Path> paths = bruteForce(topology, src);
      for (DirectedLink first : topology.linksFrom(src)) {
        assertSame(topology, paths, first, Set.of());
        Set<UndirectedLink> forbidden = new HashSet<>();
        for (DirectedLink link : topology.links()) {
          if (random.nextInt(8) == 0) {
            forbidden.add(UndirectedLink.of(link));
          }
        }
        assertSame(topology, paths, first, forbidden);
      }
    }
  }

  /** How many connected graphs there are up to isomorphism is known (OEIS A001349). */
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "3, 2", "4, 6", "5, 21", "6, 112", "7, 853"})
  void paths_onEveryConnectedGraph_areThoseOfBruteForce(int switches, int graphs) {
    List<Topology> all = GraphClasses.connected(switches);
    assertEquals(graphs, all.size());
    Random random = new Random(switches);
    all.forEach(topology -> assertSameAsBruteForce(topology, random));
  }

  @Test
  void all_overParallelLinks_countsEachChoice() {
    List<DirectedLink> links = new ArrayList<>();
    for (int port = 1; port <= 3; port++) {
      links.add(parallel(2, 3, port));
      links.add(parallel(3, 2, port));
    }
    links.add(Topologies.link(1, 2));
    links.add(Topologies.link(2, 1));
    Topology topology = Topologies.directed(3, links);
    HamiltonianSearch search = new HamiltonianSearch(topology);
    Listing all = search.all(Topologies.link(1, 2), Set.of(), 10);
    assertTrue(all.complete());
    assertEquals(3, Set.copyOf(all.paths()).size());
    assertEquals(new Listing(all.paths(), true), search.all(Topologies.link(1, 2), Set.of(), 3));
    assertEquals(
        new Listing(all.paths().subList(0, 2), false),
        search.all(Topologies.link(1, 2), Set.of(), 2));
    Set<UndirectedLink> forbidden = Set.of(UndirectedLink.of(parallel(2, 3, 2)));
    assertEquals(2, search.all(Topologies.link(1, 2), forbidden, 10).paths().size());
  }

  private static DirectedLink parallel(int src, int dst, int port) {
    return new DirectedLink(
        DatapathId.of(src), OFPort.of(100 + port), DatapathId.of(dst), OFPort.of(100 + port));
  }

  @Test
  void find_whenTheFirstLinkIsForbidden_takesItAllTheSame() {
    Topology topology = Topologies.of(3, new int[] {1, 2}, new int[] {2, 3});
    DirectedLink first = Topologies.link(1, 2);
    assertEquals(
        new Found(Topologies.path(1, 2, 3)),
        new HamiltonianSearch(topology).find(first, Set.of(UndirectedLink.of(first)), 1));
  }

  @Test
  void find_overALinkThatIsNotThere_isRefused() {
    HamiltonianSearch search = new HamiltonianSearch(Topologies.of(3, new int[] {1, 2}));
    assertThrows(
        IllegalArgumentException.class, () -> search.find(Topologies.link(1, 3), Set.of(), 1));
  }

  /**
   * Four ways of two switches each between 2 and 3, and 1 beside 2: no switch separates anything,
   * but a path would have to pass 2 and 3 twice.
   */
  private static final Topology FOUR_WAYS =
      Topologies.of(
          11,
          new int[][] {
            {1, 2}, {2, 4}, {4, 5}, {5, 3}, {2, 6}, {6, 7}, {7, 3}, {2, 8}, {8, 9}, {9, 3}, {2, 10},
            {10, 11}, {11, 3}
          });

  @Test
  void find_withoutSteps_claimsNothing() {
    assertEquals(
        new GaveUp(10),
        new HamiltonianSearch(FOUR_WAYS, 10).find(Topologies.link(1, 2), Set.of(), 1));
  }

  @Test
  void find_whereNoStructureRulesAPathOut_triesAllWays() {
    assertEquals(
        new Absent("every path ends before it has visited all switches"),
        new HamiltonianSearch(FOUR_WAYS).find(Topologies.link(1, 2), Set.of(), 1));
  }

  @Test
  void all_withoutSteps_isNotComplete() {
    assertEquals(
        new Listing(ImmutableList.of(), false),
        new HamiltonianSearch(FOUR_WAYS, 10).all(Topologies.link(1, 2), Set.of(), 1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ':',
      value = {
        "1-2 2-3 2-4 : 3 and 4 have only one neighbour each besides 1",
        "1-2 1-3 2-4 : 3 cannot be reached without passing 1 again",
        "1-2 2-3 3-4 4-5 5-3 3-6 6-7 7-3 : 3 joins three or more parts of the network, and a path"
            + " passes it only once",
        "1-2 2-3 3-4 4-2 2-5 5-6 6-2 : 2 joins separate parts of the network, and a path that"
            + " begins there can reach only one of them",
        "1-2 2-3 3-4 4-2 3-5 5-6 6-3 4-7 7-8 8-4 : there are dead ends behind 4 and behind 3",
        "1-3 3-2 3-4 4-5 5-2 3-6 5-6 : a path would alternate between two groups of switches, with"
            + " 2 and 3 switches besides 1",
        "1-2 2-8 2-9 3-8 3-9 10-8 10-9 11-8 11-9 3-4 3-5 3-7 6-4 6-5 6-7 : a path would alternate"
            + " between two groups of switches, and behind 3 one of them is too large",
      })
  void find_whereStructureRulesAPathOut_saysHow(String links, String reason) {
    int[][] pairs =
        Arrays.stream(links.split(" "))
            .map(link -> Arrays.stream(link.split("-")).mapToInt(Integer::parseInt).toArray())
            .toArray(int[][]::new);
    Topology topology =
        Topologies.of(
            Arrays.stream(pairs).mapToInt(p -> Math.max(p[0], p[1])).max().orElseThrow(), pairs);
    DirectedLink first = Topologies.link(pairs[0][0], pairs[0][1]);
    Absent absent =
        assertInstanceOf(Absent.class, new HamiltonianSearch(topology).find(first, Set.of(), 1));
    assertEquals(reason, absent.reason().replaceAll("(00:){7}0", ""));
  }

  /** Steps instead of seconds: so many take less than a tenth of a second. */
  @ParameterizedTest
  @EnumSource(HamiltonianFamily.class)
  void find_inNetworksOf100SwitchesWithAPath_findsOneWithFewSteps(HamiltonianFamily family) {
    for (int seed = 1; seed <= 100; seed++) {
      HamiltonianFamily.Case drawn = family.draw(100, new Random(seed));
      assertCovers(drawn, new HamiltonianSearch(drawn.topology(), 1_000_000), seed);
    }
  }

  @ParameterizedTest
  @EnumSource(HamiltonianFamily.class)
  void find_inNetworksOf1000SwitchesWithAPath_findsOne(HamiltonianFamily family) {
    HamiltonianFamily.Case drawn = family.draw(1000, new Random(1));
    assertCovers(drawn, new HamiltonianSearch(drawn.topology()), 1);
  }

  private static void assertCovers(
      HamiltonianFamily.Case drawn, HamiltonianSearch search, long seed) {
    Path path =
        assertInstanceOf(Found.class, search.find(drawn.first(), Set.of(), seed), "seed " + seed)
            .path();
    assertTrue(drawn.topology().contains(path));
    assertEquals(drawn.first(), path.links().get(0));
    assertEquals(drawn.topology().switches().size(), path.hops() + 1);
    assertEquals(drawn.topology().switches(), Set.copyOf(path.switches()));
  }

  @Test
  void random_whereThereAreFewPaths_drawsEachAsOften() {
    HamiltonianSearch search = new HamiltonianSearch(complete(5));
    SplittableRandom random = new SplittableRandom(1);
    Map<Result, Integer> drawn = new HashMap<>();
    for (int i = 0; i < 6000; i++) {
      drawn.merge(search.random(Topologies.link(1, 2), Set.of(), random), 1, Integer::sum);
    }
    assertEquals(6, drawn.size());
    drawn.values().forEach(times -> assertEquals(1000, times, 150));
  }

  private static Topology complete(int switches) {
    List<int[]> links = new ArrayList<>();
    for (int a = 1; a <= switches; a++) {
      for (int b = a + 1; b <= switches; b++) {
        links.add(new int[] {a, b});
      }
    }
    return Topologies.of(switches, links.toArray(new int[0][]));
  }
}
