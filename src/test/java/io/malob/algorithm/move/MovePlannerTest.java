package io.malob.algorithm.move;

import static io.malob.testing.Topologies.link;
import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.testing.Topologies;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 *
 *
 * <pre>
 *   1 ---- 2        1 - 2 directly, over 3, and over 4
 *   |\\    /|
 *   | `-3-' |
 *   `---4---'
 * </pre>
 */
class MovePlannerTest {
  private static final double MEGA = 1e6;
  private static final double GAIN = 1.5;
  private static final Topology NETWORK =
      Topologies.of(
          4,
          new int[] {1, 2},
          new int[] {1, 3},
          new int[] {3, 2},
          new int[] {1, 4},
          new int[] {4, 2});
  private static final Path DIRECT = path(1, 2);
  private static final Path OVER_3 = path(1, 3, 2);
  private static final Path OVER_4 = path(1, 4, 2);

  private final Map<DirectedLink, LinkState> links = new HashMap<>();

  private void set(Path path, double capacityMbps, double useMbps) {
    path.links()
        .forEach(link -> links.put(link, new LinkState(capacityMbps * MEGA, useMbps * MEGA)));
  }

  private static Flow flow(Path path, double mbps) {
    return new Flow(path, mbps * MEGA, true);
  }

  private List<Move> plan(Flow... flows) {
    return MovePlanner.plan(NETWORK, links, List.of(flows), GAIN, 10);
  }

  @Test
  void flow_onANarrowPath_goesToTheWidest() {
    set(DIRECT, 10, 10);
    set(OVER_3, 20, 0);
    set(OVER_4, 30, 0);
    assertEquals(List.of(new Move(0, OVER_4, 10 * MEGA, 30 * MEGA)), plan(flow(DIRECT, 10)));
  }

  @Test
  void flow_thatWouldGainLittle_stays() {
    set(DIRECT, 10, 10);
    set(OVER_3, 14.9, 0);
    assertEquals(List.of(), plan(flow(DIRECT, 10)));
    set(OVER_3, 15, 0);
    assertEquals(1, plan(flow(DIRECT, 10)).size());
  }

  @Test
  void otherTraffic_isLeftItsPart() {
    set(DIRECT, 10, 10);
    set(OVER_3, 30, 18);
    assertEquals(List.of(), plan(flow(DIRECT, 10)));
    set(DIRECT, 10, 10);
    assertEquals(1, plan(flow(DIRECT, 3)).size(), "seven of ten are of others");
  }

  @Test
  void twoFlows_doNotFleeOntoTheSamePath() {
    set(DIRECT, 10, 10);
    set(OVER_3, 10, 0);
    assertEquals(
        List.of(new Move(0, OVER_3, 5 * MEGA, 10 * MEGA)), plan(flow(DIRECT, 5), flow(DIRECT, 5)));
  }

  @Test
  void threeFlows_spreadOverThreePaths() {
    set(DIRECT, 10, 10);
    set(OVER_3, 10, 0);
    set(OVER_4, 10, 0);
    List<Move> moves = plan(flow(DIRECT, 4), flow(DIRECT, 3), flow(DIRECT, 3));
    assertEquals(Set.of(OVER_3, OVER_4), Set.of(moves.get(0).to(), moves.get(1).to()));
    assertEquals(2, moves.size());
  }

  @Test
  void flow_thatMayNotBeMoved_countsAllTheSame() {
    set(DIRECT, 10, 10);
    set(OVER_3, 10, 5);
    Flow fixed = new Flow(OVER_3, 5 * MEGA, false);
    assertEquals(List.of(), plan(new Flow(DIRECT, 10 * MEGA, false), fixed));
    assertEquals(List.of(), plan(flow(DIRECT, 10), fixed));
  }

  @Test
  void moves_areBounded() {
    set(DIRECT, 10, 10);
    set(OVER_3, 100, 0);
    List<Flow> flows = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      flows.add(flow(DIRECT, 1));
    }
    assertEquals(3, MovePlanner.plan(NETWORK, links, flows, GAIN, 3).size());
  }

  @Test
  void unknownLinks_areNeitherTakenNorLeft() {
    set(DIRECT, 10, 10);
    assertEquals(List.of(), plan(flow(DIRECT, 10)));
    links.clear();
    set(OVER_3, 100, 0);
    assertEquals(List.of(), plan(flow(DIRECT, 10)));
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 200);
  }

  /** The first move is the best of all moves over all simple paths, and there is one if any is. */
  @ParameterizedTest
  @MethodSource("seeds")
  void firstMove_isTheBestOfAll(long seed) {
    Scene scene = new Scene(seed);
    double best = 0;
    for (Flow flow : scene.flows) {
      double before = scene.share(flow.path(), flow.path());
      for (Path path : scene.simplePaths(flow.path().src(), flow.path().dst())) {
        double ratio = scene.share(path, flow.path()) / before;
        best = Math.max(best, ratio);
      }
    }
    List<Move> moves = MovePlanner.plan(scene.topology, scene.links, scene.flows, GAIN, 1);
    assertEquals(best >= GAIN ? 1 : 0, moves.size());
    for (Move move : moves) {
      assertEquals(best, move.afterBps() / move.beforeBps(), 1e-9);
      Path now = scene.flows.get(move.flow()).path();
      assertEquals(scene.share(move.to(), now), move.afterBps(), 1e-3);
    }
  }

  /** Flows share links fairly, rates are measured, flows are moved: again and again. */
  @ParameterizedTest
  @MethodSource("seeds")
  void moves_comeToAnEnd(long seed) {
    Scene scene = new Scene(seed);
    int all = 0;
    for (int round = 0; round < 50; round++) {
      scene.measure();
      List<Move> moves = MovePlanner.plan(scene.topology, scene.links, scene.flows, GAIN, 5);
      if (moves.isEmpty()) {
        return;
      }
      all += moves.size();
      for (Move move : moves) {
        scene.flows.set(move.flow(), new Flow(move.to(), 0, true));
      }
    }
    throw new AssertionError(all + " moves of " + scene.flows.size() + " flows, and no end");
  }

  /** A random network of six switches with long flows and other traffic. */
  private static final class Scene {
    final Topology topology;
    final Map<DirectedLink, LinkState> links = new HashMap<>();
    final Map<DirectedLink, Double> others = new HashMap<>();
    final List<Flow> flows = new ArrayList<>();

    Scene(long seed) {
      Random random = new Random(seed);
      List<DirectedLink> all = new ArrayList<>();
      for (int a = 1; a <= 6; a++) {
        for (int b = a + 1; b <= 6; b++) {
          if (b == a + 1 || random.nextInt(3) == 0) {
            all.add(link(a, b));
            all.add(link(b, a));
          }
        }
      }
      topology = Topologies.directed(6, all);
      for (DirectedLink link : all) {
        double capacity = (1 + random.nextInt(10)) * 10 * MEGA;
        others.put(link, random.nextInt(3) == 0 ? capacity * random.nextDouble() : 0);
        links.put(link, new LinkState(capacity, 0));
      }
      for (int i = 0; i < 8; i++) {
        List<Path> paths = List.of();
        while (paths.isEmpty()) {
          int src = 1 + random.nextInt(6);
          int dst = 1 + (src + random.nextInt(5)) % 6;
          paths = simplePaths(DatapathId.of(src), DatapathId.of(dst));
        }
        flows.add(new Flow(paths.get(random.nextInt(paths.size())), 0, true));
      }
      measure();
    }

    /** Each flow gets its fair share; links carry that and the others' traffic. */
    void measure() {
      List<Flow> measured = new ArrayList<>();
      Map<DirectedLink, Double> use = new HashMap<>(others);
      for (Flow flow : flows) {
        double bps = share(flow.path(), flow.path());
        measured.add(new Flow(flow.path(), bps, true));
        flow.path().links().forEach(link -> use.merge(link, bps, Double::sum));
      }
      flows.clear();
      flows.addAll(measured);
      links.replaceAll((link, state) -> new LinkState(state.capacityBps(), use.get(link)));
    }

    double share(Path path, Path now) {
      double min = Double.POSITIVE_INFINITY;
      for (DirectedLink link : path.links()) {
        long on = flows.stream().filter(flow -> flow.path().links().contains(link)).count();
        long counted = on + (now.links().contains(link) ? 0 : 1);
        double capacity = links.get(link).capacityBps();
        double left = Math.max(capacity - others.get(link), 0.01 * capacity);
        min = Math.min(min, left / counted);
      }
      return min;
    }

    List<Path> simplePaths(DatapathId src, DatapathId dst) {
      List<Path> found = new ArrayList<>();
      extend(src, dst, List.of(), new HashSet<>(Set.of(src)), found);
      return found;
    }

    private void extend(
        DatapathId at, DatapathId dst, List<DirectedLink> so, Set<DatapathId> met, List<Path> to) {
      if (at.equals(dst)) {
        if (!so.isEmpty()) {
          to.add(new Path(so.get(0).src(), ImmutableList.copyOf(so)));
        }
        return;
      }
      for (DirectedLink link : topology.linksFrom(at)) {
        if (met.add(link.dst())) {
          List<DirectedLink> longer = new ArrayList<>(so);
          longer.add(link);
          extend(link.dst(), dst, longer, met, to);
          met.remove(link.dst());
        }
      }
    }
  }

  @Test
  void scene_hasMovesToMake() {
    long with =
        seeds()
            .filter(
                seed -> {
                  Scene scene = new Scene(seed);
                  return !MovePlanner.plan(scene.topology, scene.links, scene.flows, GAIN, 5)
                      .isEmpty();
                })
            .count();
    assertTrue(with > 50, () -> with + " scenes");
  }
}
