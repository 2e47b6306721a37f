package io.malob.algorithm.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.algorithm.Counting;
import io.malob.testing.Graphs;
import io.malob.testing.Topologies;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;

class KShortestPathsTest {
  private static final DatapathId S1 = DatapathId.of(1);

  private record Length(long nanos, int hops) {}

  private static List<Length> lengths(LinkValues values, List<Path> paths) {
    return paths.stream().map(path -> new Length(values.latencyNanos(path), path.hops())).toList();
  }

  private static void assertSameAsBruteForce(Topology topology, int k, Random random) {
    LinkValues values =
        LinkValues.of(
            topology, Graphs.values(topology, 8, random), new LinkLoads(), Counting.PLACED_SINCE);
    DatapathId dst = DatapathId.of(1 + random.nextInt(topology.switches().size()));
    List<Path> found = values.shortest(S1, dst, k);
    List<Length> all =
        lengths(values, Graphs.allPaths(topology, S1, dst)).stream()
            .sorted(
                (a, b) ->
                    a.nanos != b.nanos
                        ? Long.compare(a.nanos, b.nanos)
                        : Integer.compare(a.hops, b.hops))
            .limit(k)
            .toList();
    assertEquals(all, lengths(values, found), () -> "to " + dst + " in " + topology.links());
    assertEquals(found.size(), new HashSet<>(found).size(), "no path twice");
    for (Path path : found) {
      assertEquals(path.hops() + 1, new HashSet<>(path.switches()).size(), "no loops");
    }
    assertEquals(found, values.shortest(S1, dst, k), "the same every time");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void shortest_onEveryConnectedGraph_areTheBestOfAllPaths(int switches) {
    Random random = new Random(switches);
    Graphs.connected(switches)
        .forEach(topology -> assertSameAsBruteForce(topology, 1 + random.nextInt(6), random));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5})
  void shortest_whenAllAreAskedFor_areAllPaths(int switches) {
    Random random = new Random(switches);
    Graphs.connected(switches).forEach(topology -> assertSameAsBruteForce(topology, 100, random));
  }

  @Test
  void shortest_withoutWayOrSwitch_areNone() {
    LinkValues values = LinkValues.unknown(Topologies.of(2));
    assertEquals(List.of(), values.shortest(S1, DatapathId.of(2), 3));
    assertEquals(List.of(), values.shortest(S1, DatapathId.of(9), 3));
    assertEquals(List.of(Path.within(S1)), values.shortest(S1, S1, 3));
  }
}
