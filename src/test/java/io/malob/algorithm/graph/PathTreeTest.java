package io.malob.algorithm.graph;

import static io.malob.testing.Topologies.link;
import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.testing.Topologies;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class PathTreeTest {
  private static final DatapathId S1 = DatapathId.of(1);
  private static final DatapathId S4 = DatapathId.of(4);

  /** Fewest links first, then the smaller sequence of switch ids. */
  private static final Comparator<List<DatapathId>> BETTER =
      Comparator.<List<DatapathId>>comparingInt(List::size)
          .thenComparing(
              (a, b) -> {
                for (int i = 0; i < a.size(); i++) {
                  int difference = a.get(i).compareTo(b.get(i));
                  if (difference != 0) {
                    return difference;
                  }
                }
                return 0;
              });

  /** The best of all simple paths. */
  private static Optional<List<DatapathId>> bruteForce(
      Topology topology, DatapathId src, DatapathId dst) {
    List<List<DatapathId>> found = new ArrayList<>();
    extend(topology, new ArrayList<>(List.of(src)), dst, found);
    return found.stream().min(BETTER);
  }

  private static void extend(
      Topology topology, List<DatapathId> way, DatapathId dst, List<List<DatapathId>> found) {
    DatapathId at = way.get(way.size() - 1);
    if (at.equals(dst)) {
      found.add(List.copyOf(way));
      return;
    }
    for (DirectedLink link : topology.linksFrom(at)) {
      if (!way.contains(link.dst())) {
        way.add(link.dst());
        extend(topology, way, dst, found);
        way.remove(way.size() - 1);
      }
    }
  }

  private static void assertSameAsBruteForce(Topology topology) {
    for (DatapathId src : topology.switches()) {
      PathTree tree = PathTree.fewestHops(topology, src);
      for (DatapathId dst : topology.switches()) {
        assertEquals(
            bruteForce(topology, src, dst),
            tree.pathTo(dst).map(Path::switches),
            () -> src + " to " + dst + " over " + topology.links());
      }
    }
  }

  /** All undirected graphs of up to five switches, connected or not: 1 + 2 + 8 + 64 + 1,024. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void fewestHops_onEveryGraph_isTheBestOfAllPaths(int switches) {
    List<int[]> pairs = new ArrayList<>();
    for (int a = 1; a <= switches; a++) {
      for (int b = a + 1; b <= switches; b++) {
        pairs.add(new int[] {a, b});
      }
    }
    for (int chosen = 0; chosen < 1 << pairs.size(); chosen++) {
      List<int[]> links = new ArrayList<>();
      for (int i = 0; i < pairs.size(); i++) {
        if ((chosen >>> i & 1) != 0) {
          links.add(pairs.get(i));
        }
      }
      assertSameAsBruteForce(Topologies.of(switches, links.toArray(new int[0][])));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void fewestHops_onRandomDirectedGraphs_isTheBestOfAllPaths(int seed) {
    Random random = new Random(seed);
    for (int trial = 0; trial < 40; trial++) {
      int switches = 2 + random.nextInt(6);
      List<DirectedLink> links = new ArrayList<>();
      for (int a = 1; a <= switches; a++) {
        for (int b = 1; b <= switches; b++) {
          if (random.nextInt(100) < 35) {
            links.add(link(a, b)); // self-loops, too
          }
        }
      }
      Collections.shuffle(links, random);
      assertSameAsBruteForce(Topologies.directed(switches, links));
    }
  }

  /*
   *   1 --- 3 --- 4     the ways over 2 and over 3 are equally long
   *    \         /
   *     --- 2 ---
   */
  @Test
  void pathTo_overEquallyLongWays_takesSmallerSwitchId() {
    Topology topology =
        Topologies.of(4, new int[] {1, 3}, new int[] {3, 4}, new int[] {1, 2}, new int[] {2, 4});
    assertEquals(Optional.of(path(1, 2, 4)), PathTree.fewestHops(topology, S1).pathTo(S4));
    assertEquals(Optional.of(path(4, 2, 1)), PathTree.fewestHops(topology, S4).pathTo(S1));
  }

  @Test
  void pathTo_ofSourceItself_hasNoLinks() {
    PathTree tree = PathTree.fewestHops(Topologies.of(2, new int[] {1, 2}), S1);
    assertEquals(Optional.of(Path.within(S1)), tree.pathTo(S1));
  }

  @Test
  void pathTo_ofSwitchThatIsNotThere_isEmpty() {
    PathTree tree = PathTree.fewestHops(Topologies.of(2, new int[] {1, 2}), S1);
    assertEquals(Optional.empty(), tree.pathTo(S4));
  }

  @Test
  void pathTo_overOneWayLink_isEmptyTheOtherWay() {
    Topology topology = Topologies.directed(2, List.of(link(1, 2)));
    assertEquals(
        Optional.of(path(1, 2)), PathTree.fewestHops(topology, S1).pathTo(DatapathId.of(2)));
    assertEquals(Optional.empty(), PathTree.fewestHops(topology, DatapathId.of(2)).pathTo(S1));
  }

  @Test
  void pathTo_overParallelLinks_takesSmallerPort() {
    DatapathId s2 = DatapathId.of(2);
    DirectedLink port9 = new DirectedLink(S1, OFPort.of(9), s2, OFPort.of(1));
    DirectedLink port7 = new DirectedLink(S1, OFPort.of(7), s2, OFPort.of(8));
    Path path =
        PathTree.fewestHops(Topologies.directed(2, List.of(port9, port7)), S1)
            .pathTo(s2)
            .orElseThrow();
    assertEquals(List.of(port7), path.links());
  }

  @Test
  void links_ofTree_spanWhatCanBeReached() {
    Topology topology =
        Topologies.of(5, new int[] {1, 2}, new int[] {2, 3}, new int[] {1, 3}, new int[] {4, 5});
    assertEquals(2, reachedFrom(S1, topology));
    assertEquals(1, reachedFrom(S4, topology));
  }

  private static long reachedFrom(DatapathId source, Topology topology) {
    PathTree tree = PathTree.fewestHops(topology, source);
    return topology.switches().stream()
        .filter(other -> !other.equals(source) && tree.pathTo(other).isPresent())
        .count();
  }
}
