package io.malob.algorithm.subflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.paper.PaperPlanner;
import io.malob.testing.PaperTopology;
import io.malob.testing.Topologies;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class DisjointMethodTest {
  private static PlanRequest disjoint(Topology topology, List<Route> previous) {
    PlanRequest whole = Requests.balanced(topology, Requests.demandsOfAll(topology, 0), 1);
    Traffic uniform =
        (identity, egress) ->
            egress.equals(identity.ingress()) ? 0 : 1.0 / (topology.switches().size() - 1);
    return Requests.copy(
        whole,
        fields -> {
          fields.method = PlanRequest.Method.DISJOINT;
          fields.traffic = Optional.of(uniform);
          fields.previous = ImmutableList.copyOf(previous);
        });
  }

  @Test
  void plan_byDisjointPaths_countsWhatIsTravelled() throws UnplannableException {
    PlanRequest request = disjoint(PaperTopology.topology(), List.of());
    SubflowPlan plan = new DisjointPlanner().plan(request);
    Map<UndirectedLink, Double> loads = new TreeMap<>();
    for (Route route : plan.routes()) {
      assertEquals(Route.Kind.DISJOINT, route.kind());
      for (DatapathId egress : request.egresses()) {
        Path path = route.branchTo(egress).orElseThrow();
        int hops = path.switches().indexOf(egress);
        path.links().stream()
            .limit(hops)
            .forEach(link -> loads.merge(UndirectedLink.of(link), 0.25, Double::sum));
      }
    }
    plan.loads().forEach((link, load) -> assertEquals(loads.get(link), load, 1e-9, link::toString));
    assertFalse(plan.provenOptimal());
    assertEquals(plan, new DisjointPlanner().plan(request));
  }

  @Test
  void plan_byDisjointPaths_isLessThanByHamiltonianPaths() throws UnplannableException {
    PlanRequest request = disjoint(PaperTopology.topology(), List.of());
    SubflowPlan plan = new DisjointPlanner().plan(request);
    PlanRequest hamiltonian =
        Requests.weighted(
            Requests.balanced(request.topology(), request.demands(), 1),
            request.traffic(),
            Map.of(),
            Map.of());
    assertTrue(plan.maximum() < new PaperPlanner().plan(hamiltonian).maximum());
  }

  @Test
  void plan_afterALinkIsLost_changesOnlySwitchesThatUsedIt() throws UnplannableException {
    Topology topology = PaperTopology.topology();
    SubflowPlan before = new DisjointPlanner().plan(disjoint(topology, List.of()));
    UndirectedLink lost = UndirectedLink.of(Topologies.link(2, 3));
    Topology less =
        Topology.of(
            topology.switches(),
            topology.links().stream()
                .filter(link -> !UndirectedLink.of(link).equals(lost))
                .toList());
    SubflowPlan after = new DisjointPlanner().plan(disjoint(less, before.routes()));
    Set<DatapathId> users =
        before.routes().stream()
            .filter(
                route -> route.links().stream().anyMatch(l -> UndirectedLink.of(l).equals(lost)))
            .map(route -> route.identity().ingress())
            .collect(Collectors.toSet());
    assertTrue(users.size() < 5, "some switch does without the link");
    for (Route route : after.routes()) {
      assertTrue(route.branches().stream().allMatch(less::contains));
      assertTrue(
          before.routes().contains(route) || users.contains(route.identity().ingress()),
          route::toString);
    }
  }
}
