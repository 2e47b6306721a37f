package io.malob.algorithm.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.graph.HamiltonianSearch.Absent;
import io.malob.algorithm.graph.HamiltonianSearch.Found;
import io.malob.algorithm.graph.HamiltonianSearch.GaveUp;
import io.malob.algorithm.graph.HamiltonianSearch.Listing;
import io.malob.algorithm.graph.HamiltonianSearch.Result;
import io.malob.testing.Graphs;
import io.malob.testing.Topologies;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class HamiltonianSearchTest {
  private static final int PLENTY = 10_000;

  /** All paths over all switches that begin with a link, by trying all. */
  private static Set<Path> bruteForce(
      Topology topology, DirectedLink first, Set<UndirectedLink> forbidden) {
    Set<Path> found = new HashSet<>();
    for (DatapathId end : topology.switches()) {
      if (!end.equals(first.src())) {
        for (Path path : Graphs.allPaths(topology, first.src(), end)) {
          if (path.hops() == topology.switches().size() - 1
              && path.links().get(0).equals(first)
              && path.links().stream()
                  .skip(1)
                  .noneMatch(link -> forbidden.contains(UndirectedLink.of(link)))) {
            found.add(path);
          }
        }
      }
    }
    return found;
  }

  private static void assertSameAsBruteForce(
      Topology topology, DirectedLink first, Set<UndirectedLink> forbidden) {
    HamiltonianSearch search = new HamiltonianSearch(topology);
    Set<Path> expected = bruteForce(topology, first, forbidden);
    String where = "from " + first + " without " + forbidden + " over " + topology.links();
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
    for (DirectedLink first : topology.links()) {
      assertSameAsBruteForce(topology, first, Set.of());
      Set<UndirectedLink> forbidden = new HashSet<>();
      for (DirectedLink link : topology.links()) {
        if (random.nextInt(8) == 0) {
          forbidden.add(UndirectedLink.of(link));
        }
      }
      assertSameAsBruteForce(topology, first, forbidden);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5})
  void paths_onEveryConnectedGraph_areThoseOfBruteForce(int switches) {
    Random random = new Random(switches);
    Graphs.connected(switches).forEach(topology -> assertSameAsBruteForce(topology, random));
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

  @Test
  void find_withoutSteps_claimsNothing() {
    Topology topology = complete(30);
    assertInstanceOf(
        GaveUp.class, new HamiltonianSearch(topology, 10).find(Topologies.link(1, 2), Set.of(), 1));
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
