package io.malob.algorithm.path;

import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.Maps;
import io.malob.algorithm.Counting;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValue;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.testing.Topologies;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Paths from 1 to 5: over 2, over 3, over 4, and a long one over 6 and 7. */
class EqualPathsTest {
  private static final Topology TOPOLOGY =
      Topologies.of(
          7,
          new int[] {1, 2},
          new int[] {2, 5},
          new int[] {1, 3},
          new int[] {3, 5},
          new int[] {1, 4},
          new int[] {4, 5},
          new int[] {1, 6},
          new int[] {6, 7},
          new int[] {7, 5},
          new int[] {2, 3});
  private static final Path BEST = path(1, 2, 5);

  private final Map<DirectedLink, LinkValue> values =
      new HashMap<>(Maps.toMap(TOPOLOGY.links(), link -> value(5, 100)));

  private static LinkValue value(int millis, int mbps) {
    return new LinkValue(
        OptionalLong.of(millis * 1_000_000L),
        OptionalDouble.of(mbps * 1e6),
        OptionalDouble.of(100e6));
  }

  private List<Path> paths(List<Path> used, int max) {
    LinkValues known = LinkValues.of(TOPOLOGY, values, new LinkLoads(), Counting.MEASURED_ONLY);
    return EqualPaths.of(new NetworkSnapshot(known), BEST, used, max);
  }

  @Test
  void allThatAreAsGood_followTheBest_asFarAsTheyAreWanted() {
    assertEquals(List.of(BEST, path(1, 3, 5), path(1, 4, 5)), paths(List.of(), 3));
    assertEquals(List.of(BEST, path(1, 3, 5)), paths(List.of(), 2));
    assertEquals(List.of(BEST), paths(List.of(), 1));
  }

  @Test
  void slowerPaths_areNotTaken() {
    values.put(Topologies.link(1, 3), value(9, 100));

    assertEquals(List.of(BEST, path(1, 4, 5)), paths(List.of(), 3));
  }

  @Test
  void narrowPaths_areNotTaken_butKept() {
    values.put(Topologies.link(1, 3), value(5, 30));

    assertEquals(List.of(BEST, path(1, 4, 5)), paths(List.of(), 3));
    assertEquals(List.of(BEST, path(1, 3, 5), path(1, 4, 5)), paths(List.of(path(1, 3, 5)), 3));
  }

  @Test
  void muchNarrowerPaths_areLeft() {
    values.put(Topologies.link(1, 3), value(5, 9));

    assertEquals(List.of(BEST, path(1, 4, 5)), paths(List.of(path(1, 3, 5)), 3));
  }

  @Test
  void usedPaths_comeBeforeOthersLikeThem() {
    assertEquals(List.of(BEST, path(1, 4, 5)), paths(List.of(path(1, 4, 5)), 2));
  }

  @Test
  void withinASwitch_thereIsOne() {
    assertEquals(
        List.of(Path.within(BEST.src())),
        EqualPaths.of(new NetworkSnapshot(TOPOLOGY), Path.within(BEST.src()), List.of(), 3));
  }
}
