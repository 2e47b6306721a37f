package io.malob.algorithm.subflow.paper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.PathTree;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.PlanRequest;
import io.malob.algorithm.subflow.Requests;
import io.malob.algorithm.subflow.Route;
import io.malob.algorithm.subflow.SubflowPlan;
import io.malob.algorithm.subflow.UnplannableException;
import io.malob.testing.Graphs;
import io.malob.testing.PaperTopology;
import io.malob.testing.Topologies;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Where Hamiltonian paths are cut. On a ring, the path from 1 over 2 reaches 5 with two and 6 with
 * four links more than necessary.
 *
 * <pre>
 *   1 - 2 - 3
 *   |       |
 *   6 - 5 - 4
 * </pre>
 */
class DetourLimitTest {
  private static final Topology RING =
      Topologies.of(6, new int[][] {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 1}});
  private static final Path WHOLE = Topologies.path(1, 2, 3, 4, 5, 6);
  private static final Route ROUTE =
      new Route(
          new FlowIdentity(Topologies.link(1, 2), 0),
          Route.Kind.HAMILTONIAN,
          ImmutableList.of(WHOLE),
          "whole");

  private static Route cut(int max, boolean isComplete) {
    return new DetourLimit(RING, RING.switches(), max).cut(ROUTE, isComplete);
  }

  private static PlanRequest limited(PlanRequest request, int max) {
    return Requests.copy(request, fields -> fields.maxDetour = OptionalInt.of(max));
  }

  @Test
  void routeWithoutALongDetour_staysAsItIs() {
    assertSame(ROUTE, cut(4, true));
  }

  @Test
  void completeRoute_reachesSwitchesBehindTheCutOverShortestPaths() {
    Route route = cut(1, true);
    assertEquals(List.of(Topologies.path(1, 6, 5), Topologies.path(1, 2, 3, 4)), route.branches());
    assertEquals(Optional.of(WHOLE), route.cutFrom());
  }

  @Test
  void otherRoute_endsAtTheCut() {
    assertEquals(List.of(Topologies.path(1, 2, 3, 4)), cut(1, false).branches());
    assertEquals(List.of(Topologies.path(1, 2, 3, 4, 5)), cut(2, false).branches());
  }

  @Test
  void tree_isNotCut() {
    Route tree =
        new Route(ROUTE.identity(), Route.Kind.TREE, ImmutableList.of(WHOLE), "no other path");
    assertSame(tree, new DetourLimit(RING, RING.switches(), 0).cut(tree, false));
  }

  @Test
  void plan_withALimit_keepsItOnEachRouteAndCountsCutRoutes() throws UnplannableException {
    for (int seed = 1; seed <= 5; seed++) {
      Topology topology = Graphs.random(8, 26, new Random(seed));
      PlanRequest request = Requests.balanced(topology, Requests.demandsOfAll(topology, 0), seed);
      SubflowPlan plan = new PaperPlanner().plan(limited(request, 1));
      double count = 0;
      for (Route route : plan.routes()) {
        PathTree near = PathTree.fewestHops(topology, route.identity().ingress());
        for (DatapathId egress : topology.switches()) {
          if (!egress.equals(route.identity().ingress())
              && route.kind() == Route.Kind.HAMILTONIAN) {
            Path branch = route.branchTo(egress).orElseThrow();
            int hops = branch.switches().indexOf(egress);
            assertTrue(hops <= near.pathTo(egress).orElseThrow().hops() + 1);
          }
        }
        count += route.links().size();
      }
      double loads = plan.loads().values().stream().mapToDouble(load -> load).sum();
      assertEquals(count, loads, 1e-9);
      assertFalse(plan.provenOptimal());
    }
  }

  @Test
  void plan_afterNothingHasChanged_keepsCutRoutes() throws UnplannableException {
    PlanRequest request = limited(Requests.paperTopology(1), 0);
    SubflowPlan before = new PaperPlanner().plan(request);
    assertTrue(before.routes().stream().anyMatch(route -> route.cutFrom().isPresent()));
    assertEquals(
        before.routes(), new PaperPlanner().plan(Requests.after(request, before)).routes());
  }

  @Test
  void plan_withALimitThatNoPathExceeds_isTheSame() throws UnplannableException {
    PlanRequest request = Requests.paperTopology(1);
    int any = PaperTopology.topology().switches().size();
    assertEquals(new PaperPlanner().plan(request), new PaperPlanner().plan(limited(request, any)));
  }
}
