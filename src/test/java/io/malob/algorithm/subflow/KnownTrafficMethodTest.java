package io.malob.algorithm.subflow;

import static io.malob.testing.Topologies.link;
import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.testing.GraphClasses;
import io.malob.testing.Topologies;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;

class KnownTrafficMethodTest {
  /** Three ways from 1 to 4: straight, over 2, and over 3. */
  private static final Topology THREE_WAYS =
      Topologies.of(4, new int[][] {{1, 4}, {1, 2}, {2, 4}, {1, 3}, {3, 4}});

  private static final UndirectedLink STRAIGHT = UndirectedLink.of(link(1, 4));

  /** All of a switch's sub-flows go to one other. */
  private static Traffic pairs(Map<Long, Long> pairs) {
    return (identity, egress) ->
        Long.valueOf(egress.getLong()).equals(pairs.get(identity.ingress().getLong())) ? 1 : 0;
  }

  private static PlanRequest request(
      Topology topology,
      Traffic traffic,
      Map<UndirectedLink, Double> capacities,
      Map<UndirectedLink, Double> background) {
    PlanRequest whole =
        Requests.weighted(
            Requests.balanced(topology, Requests.demandsOfAll(topology, 0), 1),
            Optional.of(traffic),
            capacities,
            background);
    return Requests.copy(whole, fields -> fields.method = PlanRequest.Method.DISJOINT);
  }

  private static List<Path> ways(SubflowPlan plan, long ingress, long egress) {
    return plan.routes().stream()
        .filter(route -> route.identity().ingress().equals(DatapathId.of(ingress)))
        .map(route -> way(route, DatapathId.of(egress)))
        .sorted(Comparator.comparingInt(Path::hops))
        .toList();
  }

  private static Path way(Route route, DatapathId egress) {
    Path branch = route.branchTo(egress).orElseThrow();
    return new Path(branch.src(), branch.links().subList(0, branch.switches().indexOf(egress)));
  }

  private static Map<UndirectedLink, Double> onAll(double straight, double others) {
    ImmutableMap.Builder<UndirectedLink, Double> values = ImmutableMap.builder();
    THREE_WAYS.links().stream()
        .map(UndirectedLink::of)
        .distinct()
        .forEach(each -> values.put(each, each.equals(STRAIGHT) ? straight : others));
    return values.buildOrThrow();
  }

  @Test
  void plan_whereLinksAreIdle_takesDetours() throws UnplannableException {
    SubflowPlan plan =
        new DisjointPlanner().plan(request(THREE_WAYS, pairs(Map.of(1L, 4L)), Map.of(), Map.of()));
    assertEquals(List.of(path(1, 4), path(1, 2, 4), path(1, 3, 4)), ways(plan, 1, 4));
    assertEquals(1, plan.maximum());
  }

  @Test
  void plan_whereDetoursAreLoaded_takesNone() throws UnplannableException {
    SubflowPlan plan =
        new DisjointPlanner()
            .plan(request(THREE_WAYS, pairs(Map.of(1L, 4L)), Map.of(), onAll(0, 1)));
    assertEquals(List.of(path(1, 4), path(1, 4), path(1, 4)), ways(plan, 1, 4));
  }

  /** Whoever is first does not know yet that the straight link of another one is his detour. */
  @Test
  void plan_whereOthersNeedTheDetour_givesItBack() throws UnplannableException {
    Traffic busy = pairs(Map.of(1L, 4L, 2L, 4L, 3L, 4L));
    SubflowPlan plan = new DisjointPlanner().plan(request(THREE_WAYS, busy, Map.of(), Map.of()));
    for (long ingress = 1; ingress <= 3; ingress++) {
      long each = ingress;
      assertTrue(
          ways(plan, each, 4).stream().allMatch(way -> way.equals(path(each, 4))),
          () -> ways(plan, each, 4).toString());
    }
  }

  /** Data of one goes against that of the other, so that they are not in each other's way. */
  @Test
  void plan_ofTwoWhoSendToEachOther_countsDirectionsApart() throws UnplannableException {
    SubflowPlan plan =
        new DisjointPlanner()
            .plan(request(THREE_WAYS, pairs(Map.of(1L, 4L, 4L, 1L)), Map.of(), Map.of()));
    assertEquals(List.of(1, 2, 2), ways(plan, 1, 4).stream().map(Path::hops).toList());
    assertEquals(List.of(1, 2, 2), ways(plan, 4, 1).stream().map(Path::hops).toList());
    assertEquals(2, plan.maximum());
  }

  /** In bit/s, which are large numbers. */
  @Test
  void plan_whereTheStraightLinkHasMoreCapacity_staysOnIt() throws UnplannableException {
    SubflowPlan plan =
        new DisjointPlanner()
            .plan(request(THREE_WAYS, pairs(Map.of(1L, 4L)), onAll(1e11, 1e9), Map.of()));
    assertEquals(List.of(path(1, 4), path(1, 4), path(1, 4)), ways(plan, 1, 4));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5})
  void plan_onEveryConnectedGraph_reachesAllWithoutLoops(int switches) throws UnplannableException {
    Random random = new Random(switches);
    for (Topology topology : GraphClasses.connected(switches)) {
      ImmutableList<DatapathId> ids = topology.switches().asList();
      Map<DatapathId, DatapathId> receivers = new HashMap<>();
      ids.forEach(id -> receivers.put(id, ids.get(random.nextInt(ids.size()))));
      Traffic traffic = (identity, to) -> to.equals(receivers.get(identity.ingress())) ? 1 : 0;
      SubflowPlan plan = new DisjointPlanner().plan(request(topology, traffic, Map.of(), Map.of()));
      for (Route route : plan.routes()) {
        for (DatapathId egress : ids) {
          if (!egress.equals(route.identity().ingress())) {
            Path way = way(route, egress);
            assertEquals(way.hops() + 1, way.switches().stream().distinct().count());
            assertTrue(topology.contains(way));
          }
        }
      }
    }
  }
}
