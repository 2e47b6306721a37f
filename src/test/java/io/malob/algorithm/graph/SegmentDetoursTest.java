package io.malob.algorithm.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** Switches that share a segment: no path passes it twice. */
class SegmentDetoursTest {
  private static final DatapathId A = DatapathId.of(1);
  private static final DatapathId B = DatapathId.of(2);
  private static final DatapathId C = DatapathId.of(3);
  private static final DatapathId D = DatapathId.of(4);

  /** From port 1 to port 1, where the segment is. */
  private static DirectedLink over(DatapathId from, DatapathId to) {
    return new DirectedLink(from, OFPort.of(1), to, OFPort.of(1));
  }

  private static List<DirectedLink> segment(DatapathId... switches) {
    List<DirectedLink> links = new ArrayList<>();
    for (DatapathId from : switches) {
      for (DatapathId to : switches) {
        if (!from.equals(to)) {
          links.add(over(from, to));
        }
      }
    }
    return links;
  }

  private static LinkValue value(long latencyNanos, double throughputBps) {
    return new LinkValue(
        OptionalLong.of(latencyNanos), OptionalDouble.of(throughputBps), OptionalDouble.empty());
  }

  /** Values that prefer the way through B. */
  private static LinkValues values(List<DirectedLink> links) {
    Map<DirectedLink, LinkValue> known = new HashMap<>();
    links.forEach(link -> known.put(link, value(1_000_000, 9e6)));
    known.put(over(A, C), value(5_000_000, 1e6));
    return LinkValues.of(
        Topology.of(List.of(A, B, C, D), links), known, new LinkLoads(), Counting.MEASURED_ONLY);
  }

  private static Optional<Path> straight() {
    return Optional.of(new Path(A, ImmutableList.of(over(A, C))));
  }

  @ParameterizedTest
  @EnumSource(PathOrder.class)
  void directLink_isTaken_whateverIsMeasured(PathOrder order) {
    LinkValues values = values(segment(A, B, C));
    assertEquals(straight(), values.searches().from(A, order).path(A, C));
    assertEquals(straight(), values.searches().to(C, order).path(A, C));
  }

  @Test
  void shortestPaths_passTheSegmentOnce() {
    List<DirectedLink> links = segment(A, B, C);
    assertEquals(List.of(straight().get()), values(links).shortest(A, C, 5));

    DirectedLink toD = new DirectedLink(A, OFPort.of(2), D, OFPort.of(2));
    DirectedLink fromD = new DirectedLink(D, OFPort.of(3), C, OFPort.of(3));
    links.addAll(List.of(toD, fromD));
    assertEquals(
        List.of(new Path(A, ImmutableList.of(toD, fromD)), straight().get()),
        values(links).shortest(A, C, 5).stream().sorted((a, b) -> b.hops() - a.hops()).toList());
  }

  @Test
  void cheapestPaths_passTheSegmentOnce() {
    Topology topology = Topology.of(List.of(A, B, C), segment(A, B, C));
    LinkCosts costs = LinkCosts.of(topology, link -> link.equals(over(A, C)) ? 5 : 1);
    assertEquals(straight(), PathTree.cheapest(topology, A, costs).pathTo(C));
  }

  @Test
  void withoutADirectLink_thePathPassesTheSegmentTwice_andLeavesByThePortOfItsArrival() {
    List<DirectedLink> links = segment(A, B, C);
    links.remove(over(A, C));
    Path path =
        LinkValues.unknown(Topology.of(List.of(A, B, C), links))
            .searches()
            .from(A, PathOrder.LOWEST_LATENCY)
            .path(A, C)
            .orElseThrow();
    assertEquals(List.of(over(A, B), over(B, C)), path.links());
    assertEquals(Optional.of(OFPort.of(1)), path.outOf(A));
    assertEquals(Optional.of(OFPort.IN_PORT), path.outOf(B));
    assertEquals(Optional.empty(), path.outOf(C));
    assertEquals(Optional.empty(), path.outOf(D));
  }

  @Test
  void detour_isOneOnlyIfAThirdLinkReplacesBoth() {
    Topology topology = Topology.of(List.of(A, B, C), segment(A, B, C));
    assertTrue(topology.isDetour(over(A, B), over(B, C)));
    assertFalse(topology.isDetour(over(A, B), over(B, A)));
    assertFalse(topology.isDetour(over(A, B), new DirectedLink(B, OFPort.of(2), C, OFPort.of(1))));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void pathsOfASegmentOfSeven_areOneLinkLong(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    DatapathId[] switches = new DatapathId[7];
    for (int i = 0; i < switches.length; i++) {
      switches[i] = DatapathId.of(i + 1);
    }
    List<DirectedLink> links = segment(switches);
    Map<DirectedLink, LinkValue> known = new HashMap<>();
    links.forEach(
        link -> known.put(link, value(random.nextLong(1, 1_000), random.nextDouble(1, 1_000))));
    LinkValues values =
        LinkValues.of(
            Topology.of(List.of(switches), links), known, new LinkLoads(), Counting.MEASURED_ONLY);
    for (PathOrder order : PathOrder.values()) {
      for (DatapathId from : switches) {
        BestPaths paths = values.searches().from(from, order);
        for (DatapathId to : switches) {
          if (!from.equals(to)) {
            assertEquals(1, paths.path(from, to).orElseThrow().hops());
          }
        }
      }
    }
  }
}
