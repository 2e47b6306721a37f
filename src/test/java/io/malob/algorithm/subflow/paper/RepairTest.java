package io.malob.algorithm.subflow.paper;

import static io.malob.algorithm.subflow.Requests.between;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.Demand;
import io.malob.algorithm.subflow.PlanRequest;
import io.malob.algorithm.subflow.Requests;
import io.malob.algorithm.subflow.Route;
import io.malob.algorithm.subflow.SubflowPlan;
import io.malob.algorithm.subflow.UnplannableException;
import io.malob.testing.Graphs;
import io.malob.testing.Topologies;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Plans that follow other plans. */
class RepairTest {

  private static PlanRequest all(Topology topology, long seed) {
    return Requests.balanced(topology, Requests.demandsOfAll(topology, 0), seed);
  }

  private static Topology without(Topology topology, UndirectedLink lost) {
    return Topology.of(
        topology.switches(),
        topology.links().stream().filter(link -> !UndirectedLink.of(link).equals(lost)).toList());
  }

  private static long changed(SubflowPlan before, SubflowPlan after) {
    return after.routes().stream().filter(route -> !before.routes().contains(route)).count();
  }

  @Test
  void plan_afterNothingHasChanged_isTheSame() throws UnplannableException {
    PlanRequest request = Requests.paperTopology(1);
    SubflowPlan before = new PaperPlanner().plan(request);
    SubflowPlan after = new PaperPlanner().plan(Requests.after(request, before));
    assertEquals(before.routes(), after.routes());
  }

  @Test
  void plan_afterALinkIsLost_leavesMostRoutesAlone() throws UnplannableException {
    long changes = 0;
    long changesOfFresh = 0;
    int lostRoutes = 0;
    int otherRoutes = 0;
    int kept = 0;
    for (int seed = 1; seed <= 2; seed++) {
      Topology topology = Graphs.random(7, 24, new Random(seed));
      SubflowPlan before = new PaperPlanner().plan(all(topology, seed));
      Topology less = without(topology, UndirectedLink.of(topology.links().get(0)));
      PlanRequest request = all(less, seed);
      SubflowPlan after = new PaperPlanner().plan(Requests.after(request, before));
      for (Route route : after.routes()) {
        assertTrue(route.branches().stream().allMatch(less::contains));
      }
      for (Route route : before.routes()) {
        boolean isLost = !route.branches().stream().allMatch(less::contains);
        lostRoutes += isLost ? 1 : 0;
        otherRoutes += isLost ? 0 : 1;
        kept += after.routes().contains(route) ? 1 : 0;
      }
      SubflowPlan fresh = new PaperPlanner().plan(request);
      assertTrue(after.maximum() <= fresh.maximum() + 1, () -> after + " and " + fresh);
      changes += changed(before, after);
      changesOfFresh += changed(before, fresh);
    }
    assertTrue(lostRoutes > 0);
    assertTrue(3 * changes < 2 * changesOfFresh, changes + " and " + changesOfFresh);
    assertTrue(kept > otherRoutes / 2, kept + " of " + otherRoutes);
  }

  /** S1 has a path each way round the ring; they are as good as any. */
  @Test
  void plan_thatCannotBecomeBetter_keepsRoutesThatItWouldNotChoose() throws UnplannableException {
    Topology square =
        Topologies.of(4, new int[][] {{1, 2}, {2, 3}, {3, 4}, {4, 1}, {1, 3}, {2, 4}});
    PlanRequest request = Requests.balanced(square, Requests.demands(square, List.of(1L), 0), 1);
    // each first link once, S2-S3, S3-S4 and S2-S4 twice each: two ways to do that
    List<ImmutableList<Route>> plans =
        List.of(routes(request, "1234", "1342", "1423"), routes(request, "1243", "1324", "1432"));
    for (ImmutableList<Route> routes : plans) {
      SubflowPlan before = planOf(request, routes);
      SubflowPlan after = new PaperPlanner().plan(Requests.after(request, before));
      assertEquals(routes, after.routes());
    }
  }

  @Test
  void plan_thatCanBecomeBetter_changesAsLittleAsItTakes() throws UnplannableException {
    Topology square =
        Topologies.of(4, new int[][] {{1, 2}, {2, 3}, {3, 4}, {4, 1}, {1, 3}, {2, 4}});
    PlanRequest request = Requests.balanced(square, Requests.demands(square, List.of(1L), 0), 1);
    // S2-S3 carries one and S3-S4 three; with 1-4-2-3 instead of 1-4-3-2, each carries two
    ImmutableList<Route> routes = routes(request, "1234", "1342", "1432");
    SubflowPlan after = new PaperPlanner().plan(Requests.after(request, planOf(request, routes)));
    assertEquals(2, after.maximum());
    assertEquals(routes.subList(0, 2), after.routes().subList(0, 2));
    assertEquals(ImmutableList.of(Topologies.path(1, 4, 2, 3)), after.routes().get(2).branches());
  }

  private static ImmutableList<Route> routes(PlanRequest request, String... paths) {
    return IntStream.range(0, paths.length)
        .mapToObj(
            i ->
                new Route(
                    request.demands().get(i).identity(),
                    Route.Kind.HAMILTONIAN,
                    ImmutableList.of(
                        Topologies.path(paths[i].chars().mapToLong(c -> c - '0').toArray())),
                    "A path that visits each switch once."))
        .collect(ImmutableList.toImmutableList());
  }

  private static SubflowPlan planOf(PlanRequest request, ImmutableList<Route> routes)
      throws UnplannableException {
    SubflowPlan any = new PaperPlanner().plan(request);
    return new SubflowPlan(routes, any.loads(), 0, 0, false, "");
  }

  @Test
  void plan_onceThereIsAHamiltonianPath_replacesTrees() throws UnplannableException {
    Topology ring = Topologies.of(4, new int[][] {{1, 2}, {2, 3}, {3, 4}, {4, 1}});
    Topology line = without(ring, between(1, 4));
    PlanRequest onLine = Requests.balanced(line, Requests.demands(line, List.of(2L), 0), 1);
    SubflowPlan before = new PaperPlanner().plan(onLine);
    assertEquals(Route.Kind.TREE, before.routes().get(0).kind());
    PlanRequest onRing = Requests.balanced(ring, onLine.demands(), 1);
    SubflowPlan after = new PaperPlanner().plan(Requests.after(onRing, before));
    for (Route route : after.routes()) {
      assertEquals(Route.Kind.HAMILTONIAN, route.kind());
    }
  }

  @Test
  void plan_withANewEgress_replacesTreesThatMissIt() throws UnplannableException {
    Topology star = Topologies.of(4, new int[][] {{1, 2}, {1, 3}, {1, 4}});
    PlanRequest request =
        Requests.towards(Requests.balanced(star, Requests.demands(star, List.of(2L), 0), 1), 2, 3);
    SubflowPlan before = new PaperPlanner().plan(request);
    SubflowPlan after =
        new PaperPlanner().plan(Requests.after(Requests.towards(request, 2, 3, 4), before));
    assertEquals(2, after.routes().get(0).branches().size());
  }

  @Test
  void plan_withAnIdentityMore_addsOneRoute() throws UnplannableException {
    Topology topology = Graphs.random(7, 24, new Random(4));
    List<Demand> demands = Requests.demandsOfAll(topology, 0);
    PlanRequest fewer = Requests.balanced(topology, demands.subList(0, demands.size() - 1), 3);
    SubflowPlan before = new PaperPlanner().plan(fewer);
    SubflowPlan after =
        new PaperPlanner().plan(Requests.after(Requests.balanced(topology, demands, 3), before));
    assertEquals(demands.size(), after.routes().size());
    assertTrue(changed(before, after) <= 4, () -> changed(before, after) + " changed");
  }
}
