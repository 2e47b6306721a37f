package io.malob.algorithm.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Counting;
import io.malob.testing.Graphs;
import io.malob.testing.Topologies;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** Paths that were searched for when there were more links, against a search from scratch. */
class RemovedLinksTest {
  private static final int TRIALS = 200;
  private static final double MBPS = 1e6;

  private final Map<DirectedLink, LinkValue> known = new HashMap<>();
  private int kept;
  private int repaired;
  private int cut;
  private int held;

  private LinkValues values(Topology topology) {
    return LinkValues.of(topology, known, new LinkLoads(), Counting.PLACED_SINCE);
  }

  /** Some links, parallel ones among them, most in both directions; not all are connected. */
  private static Topology someTopology(int switches, Random random) {
    Collection<DirectedLink> links = new LinkedHashSet<>();
    int cables = switches + random.nextInt(2 * switches);
    for (int cable = 1; cable <= cables; cable++) {
      DirectedLink link =
          new DirectedLink(
              DatapathId.of(1 + random.nextInt(switches)),
              OFPort.of(cable),
              DatapathId.of(1 + random.nextInt(switches)),
              OFPort.of(cable));
      links.add(link);
      if (random.nextInt(5) > 0) {
        links.add(link.reversed());
      }
    }
    return topology(switches, links);
  }

  private static Topology topology(int switches, Collection<DirectedLink> links) {
    return Topology.of(
        LongStream.rangeClosed(1, switches).mapToObj(DatapathId::of).toList(), links);
  }

  /** Steps that are no noise, and so few that there are ties. */
  private static LinkValue someValue(int different, Random random) {
    double width = MBPS * (1 << random.nextInt(different));
    return Graphs.value(1_000_000L * random.nextInt(different), width, width);
  }

  private static Topology withoutSome(Topology topology, Random random) {
    List<DirectedLink> left = new ArrayList<>(topology.links());
    for (int more = random.nextInt(3); more >= 0 && !left.isEmpty(); more--) {
      DirectedLink gone = left.remove(random.nextInt(left.size()));
      if (random.nextInt(4) > 0) {
        left.remove(gone.reversed());
      }
    }
    return topology(topology.switches().size(), left);
  }

  private static List<BestPaths> all(LinkValues values, PathOrder order) {
    PathSearches searches = values.searches();
    List<BestPaths> paths = new ArrayList<>();
    for (DatapathId root : values.topology().switches()) {
      paths.add(searches.from(root, order));
      paths.add(searches.to(root, order));
    }
    return paths;
  }

  /**
   * Links go one after the other, or several at once, also the last between two parts. What is kept
   * or repaired is what a search finds, tie-breaks included, and holds only as long as it is.
   */
  @ParameterizedTest
  @EnumSource(PathOrder.class)
  void inThisTopology_afterLinksWereRemoved_areThePathsOfASearch(PathOrder order) {
    Random random = new Random(order.name().hashCode());
    for (int trial = 0; trial < TRIALS; trial++) {
      int different = 1 + random.nextInt(5);
      Topology topology = someTopology(2 + random.nextInt(14), random);
      known.clear();
      topology.links().forEach(link -> known.put(link, someValue(different, random)));
      List<BestPaths> paths = all(values(topology), order);
      for (int step = 0; step < 8 && !topology.links().isEmpty(); step++) {
        topology = withoutSome(topology, random);
        paths = inThisTopology(paths, values(topology), order);
        assertHoldOnlyIfTheBest(paths, topology, order, different, random);
      }
    }
    assertTrue(kept > 10_000, kept + " kept");
    assertTrue(repaired > 10_000, repaired + " repaired");
    assertTrue(cut > 1_000, cut + " switches cut off");
    assertTrue(held > 5_000, held + " held");
  }

  private List<BestPaths> inThisTopology(List<BestPaths> before, LinkValues now, PathOrder order) {
    PathSearches searches = now.searches();
    List<BestPaths> next = new ArrayList<>();
    for (BestPaths paths : before) {
      BestPaths fresh = searches.again(paths, order);
      BestPaths here = Objects.requireNonNull(searches.inThisTopology(paths, true));
      assertSamePaths(fresh, here, now.topology());
      @Nullable BestPaths unbroken = searches.inThisTopology(paths, false);
      if (unbroken != null) {
        assertSamePaths(fresh, unbroken, now.topology());
      }
      count(paths, here, unbroken != null, now.topology());
      next.add(here);
    }
    return next;
  }

  private void count(BestPaths before, BestPaths here, boolean isUnbroken, Topology topology) {
    boolean isSame = true;
    for (DatapathId other : topology.switches()) {
      Optional<Path> then = path(before, other);
      Optional<Path> now = path(here, other);
      isSame &= then.equals(now);
      cut += then.isPresent() && now.isEmpty() ? 1 : 0;
    }
    assertEquals(isSame, isUnbroken, "only paths over removed links are repaired");
    if (isSame) {
      kept++;
    } else {
      repaired++;
    }
  }

  private static Optional<Path> path(BestPaths paths, DatapathId other) {
    return paths.isFromRoot() ? paths.path(paths.root(), other) : paths.path(other, paths.root());
  }

  private static double width(BestPaths paths, DatapathId other) {
    return paths.isFromRoot() ? paths.width(paths.root(), other) : paths.width(other, paths.root());
  }

  private static void assertSamePaths(BestPaths fresh, BestPaths here, Topology topology) {
    for (DatapathId other : topology.switches()) {
      Supplier<String> what = () -> here.root() + " and " + other + " in " + topology.links();
      assertEquals(path(fresh, other), path(here, other), what);
      assertEquals(width(fresh, other), width(here, other), what);
    }
  }

  /** Another value of one link: what holds is as good as what would be found again. */
  private void assertHoldOnlyIfTheBest(
      List<BestPaths> paths, Topology topology, PathOrder order, int different, Random random) {
    if (topology.links().isEmpty()) {
      return;
    }
    DirectedLink link = topology.links().get(random.nextInt(topology.links().size()));
    LinkValue before = Objects.requireNonNull(known.get(link));
    known.put(link, someValue(different, random));
    LinkValues now = values(topology);
    PathSearches searches = now.searches();
    for (BestPaths each : paths) {
      if (searches.hold(each, order)) {
        held++;
        assertAsGood(searches.again(each, order), each, now, order);
      }
    }
    known.put(link, before);
  }

  private static void assertAsGood(
      BestPaths fresh, BestPaths here, LinkValues values, PathOrder order) {
    for (DatapathId other : values.topology().switches()) {
      assertEquals(path(fresh, other).isPresent(), path(here, other).isPresent());
      if (path(fresh, other).isPresent()) {
        Path best = path(fresh, other).orElseThrow();
        Path held = path(here, other).orElseThrow();
        assertEquals(values.latencyNanos(best), values.latencyNanos(held), order.name());
        if (order == PathOrder.FEWEST_HOPS) {
          assertEquals(best.hops(), held.hops());
        }
        if (order == PathOrder.WIDEST) {
          assertEquals(values.shareBps(best), values.shareBps(held));
        }
      }
    }
  }

  /*
   *      1 ------- 3 --- 4     Over the narrow link to 2, which is removed, 3 was nearer, though not
   *       \_ 2 __/       /     by its widest path. Then all links are equally wide.
   *      1 -------------
   */
  @Test
  void inThisTopology_withoutTheOnlyNarrowLink_knowsWhatThePathsCost() {
    DirectedLink narrow = Topologies.link(1, 2);
    DirectedLink fast = Topologies.link(1, 4);
    DirectedLink slow = new DirectedLink(fast.src(), OFPort.of(14), fast.dst(), OFPort.of(14));
    List<DirectedLink> links =
        new ArrayList<>(
            List.of(slow, Topologies.link(1, 3), Topologies.link(2, 3), Topologies.link(3, 4)));
    links.forEach(link -> known.put(link, Graphs.value(1_000_000, 10 * MBPS, 10 * MBPS)));
    known.put(Topologies.link(1, 3), Graphs.value(5_000_000, 10 * MBPS, 10 * MBPS));
    known.put(slow, Graphs.value(5_000_000, 10 * MBPS, 10 * MBPS));
    known.put(narrow, Graphs.value(1_000_000, 5 * MBPS, 5 * MBPS));
    known.put(fast, Graphs.value(1_000_000, 10 * MBPS, 10 * MBPS));
    LinkValues now = values(topology(4, links));
    links.addAll(List.of(narrow, fast));
    BestPaths before =
        values(topology(4, links)).searches().from(DatapathId.of(1), PathOrder.WIDEST);
    BestPaths here = Objects.requireNonNull(now.searches().inThisTopology(before, true));
    assertSamePaths(now.searches().again(before, PathOrder.WIDEST), here, now.topology());
  }

  /** Links that are back may be better than all that is known. */
  @ParameterizedTest
  @EnumSource(PathOrder.class)
  void inThisTopology_withMoreLinksOrOtherSwitches_isNothing(PathOrder order) {
    Topology line = Topologies.of(3, new int[] {1, 2}, new int[] {2, 3});
    Topology ring = Topologies.of(3, new int[] {1, 2}, new int[] {2, 3}, new int[] {1, 3});
    Topology moved = Topologies.of(3, new int[] {1, 2}, new int[] {1, 3});
    Topology longer = Topologies.of(4, new int[] {1, 2}, new int[] {2, 3});
    for (BestPaths paths : all(values(line), order)) {
      assertNull(values(ring).searches().inThisTopology(paths, true));
      assertNull(values(moved).searches().inThisTopology(paths, true));
      assertNull(values(longer).searches().inThisTopology(paths, true));
    }
  }

  /** Labels and connections remember paths: one that stays is the same object. */
  @Test
  void path_thatUsesNoRemovedLink_isTheSameObject() {
    Topology ring =
        Topologies.of(4, new int[] {1, 2}, new int[] {2, 3}, new int[] {3, 4}, new int[] {1, 4});
    Topology line = Topologies.of(4, new int[] {1, 2}, new int[] {2, 3}, new int[] {3, 4});
    DatapathId root = DatapathId.of(1);
    DatapathId second = DatapathId.of(2);
    DatapathId last = DatapathId.of(4);
    BestPaths before = values(ring).searches().to(root, PathOrder.LOWEST_LATENCY);
    Path toKeep = before.path(second, root).orElseThrow();
    assertEquals(Topologies.path(4, 1), before.path(last, root).orElseThrow());
    BestPaths now = Objects.requireNonNull(values(line).searches().inThisTopology(before, true));
    assertSame(toKeep, now.path(second, root).orElseThrow());
    assertEquals(Topologies.path(4, 3, 2, 1), now.path(last, root).orElseThrow());
  }
}
