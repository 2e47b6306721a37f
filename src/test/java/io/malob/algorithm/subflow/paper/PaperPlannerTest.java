package io.malob.algorithm.subflow.paper;

import static io.malob.algorithm.subflow.Requests.between;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.Demand;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.PlanRequest;
import io.malob.algorithm.subflow.Requests;
import io.malob.algorithm.subflow.Route;
import io.malob.algorithm.subflow.SubflowPlan;
import io.malob.algorithm.subflow.Traffic;
import io.malob.algorithm.subflow.UnplannableException;
import io.malob.testing.Graphs;
import io.malob.testing.PaperTopology;
import io.malob.testing.Topologies;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;

class PaperPlannerTest {
  private static final double EXACT = 1e-6;

  /** S1 and S2 are joined by three ways: directly, over S3, and over S4 and S5. */
  private static final Topology RING_WITH_CHORD =
      Topologies.of(5, new int[][] {{1, 2}, {1, 3}, {3, 2}, {1, 4}, {4, 5}, {5, 2}});

  private static void assertIsPlanFor(PlanRequest request, SubflowPlan plan) {
    Map<UndirectedLink, Double> loads = new HashMap<>();
    for (int i = 0; i < request.demands().size(); i++) {
      Demand demand = request.demands().get(i);
      Route route = plan.routes().get(i);
      assertEquals(demand.identity(), route.identity());
      for (DatapathId egress : request.egresses()) {
        assertTrue(route.branchTo(egress).isPresent(), () -> route + " misses " + egress);
      }
      if (route.kind() == Route.Kind.HAMILTONIAN) {
        assertEquals(demand.identity().first(), route.branches().get(0).links().get(0));
        assertEquals(request.topology().switches().size() - 1, route.links().size());
        assertEquals(1, route.branches().size());
      }
      List<DatapathId> reached = route.links().stream().map(DirectedLink::dst).toList();
      assertEquals(reached.size(), new HashSet<>(reached).size(), () -> "a loop in " + route);
      assertTrue(route.branches().stream().allMatch(request.topology()::contains));
      if (request.traffic().isEmpty()) {
        route
            .links()
            .forEach(
                link ->
                    loads.merge(UndirectedLink.of(link), (double) demand.subflows(), Double::sum));
      }
    }
    if (request.traffic().isEmpty()) {
      plan.loads().forEach((link, load) -> assertEquals(loads.getOrDefault(link, 0.0), load));
      assertTrue(plan.loads().keySet().containsAll(loads.keySet()));
    }
  }

  private static SubflowPlan assertIsBest(PlanRequest request) throws UnplannableException {
    SubflowPlan plan = new PaperPlanner().plan(request);
    assertIsPlanFor(request, plan);
    AllPlans.Best best = new AllPlans(request).best();
    String what = request + " gives " + plan;
    assertEquals(best.maximum(), plan.maximum(), EXACT, what);
    assertEquals(best.minimum(), plan.minimum(), EXACT, what);
    return plan;
  }

  @Test
  void plan_ofThePapersTopology_isTheBestOfAll() throws UnplannableException {
    PlanRequest request = Requests.paperTopology(1);
    AllPlans all = new AllPlans(request);
    AllPlans.Best best = all.best();
    assertEquals(12_592, all.reachable());
    assertEquals(new AllPlans.Best(15, 12, 1114), best);
    SubflowPlan plan = new PaperPlanner().plan(request);
    assertIsPlanFor(request, plan);
    assertEquals(22, plan.routes().size());
    assertEquals(88, plan.loads().values().stream().mapToDouble(load -> load).sum());
    assertEquals(15, plan.maximum());
    assertEquals(12, plan.minimum());
    assertEquals(1114, plan.loads().values().stream().mapToDouble(load -> load * load).sum());
    assertTrue(plan.provenOptimal());
  }

  @Test
  void plan_ofThePapersTopologyForAllVlansAlike_isTheBestOfAll() throws UnplannableException {
    Topology topology = PaperTopology.topology();
    PlanRequest request =
        Requests.balanced(topology, Requests.demandsOfAll(topology, FlowIdentity.ANY_VLAN), 1);
    SubflowPlan plan = assertIsBest(request);
    assertEquals(9, plan.maximum());
    assertEquals(7, plan.minimum());
    assertTrue(plan.provenOptimal());
  }

  /** Hosts on one or two switches, so that all plans can be looked at. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void plan_onEveryConnectedGraph_isTheBestOfAll(int switches) throws UnplannableException {
    Random random = new Random(switches);
    for (Topology topology : Graphs.connected(switches).toList()) {
      assertIsBest(onSome(topology, random));
    }
  }

  @Test
  void plan_onGraphsOfFiveSwitches_isTheBestOfAll() throws UnplannableException {
    Random random = new Random(5);
    List<Topology> graphs = new ArrayList<>(Graphs.connected(5).toList());
    Collections.shuffle(graphs, random);
    for (Topology topology : graphs.subList(0, 100)) {
      SubflowPlan plan = assertIsBest(onSome(topology, random));
      if (plan.routes().stream().allMatch(route -> route.kind() == Route.Kind.HAMILTONIAN)) {
        assertTrue(plan.provenOptimal(), plan::proof);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {6, 7})
  void plan_onRandomNetworks_isTheBestOfAll(int switches) throws UnplannableException {
    Random random = new Random(switches);
    for (int i = 0; i < 40; i++) {
      assertIsBest(onSome(Graphs.random(switches, 1 + random.nextInt(6), random), random));
    }
  }

  /** So many paths that they are not listed: the best plan is found by small changes alone. */
  @ParameterizedTest
  @ValueSource(ints = {36, 38, 40})
  void plan_onTwoRandomRings_isProvenTheBestOfAll(int switches) throws UnplannableException {
    for (int seed = 0; seed < 3; seed++) {
      Topology topology = twoRings(switches, new Random(seed));
      PlanRequest request = Requests.balanced(topology, Requests.demandsOfAll(topology, 0), seed);
      SubflowPlan plan = new PaperPlanner().plan(request);
      assertIsPlanFor(request, plan);
      assertTrue(plan.provenOptimal(), plan::proof);
      assertEquals(2 * (switches - 1), plan.maximum(), "each link has as many as each other");
      assertEquals(plan.maximum(), plan.minimum());
    }
  }

  /** Two rings over all switches that have no link in common. */
  private static Topology twoRings(int switches, Random random) {
    List<Integer> order = new ArrayList<>();
    for (int i = 1; i <= switches; i++) {
      order.add(i);
    }
    Set<Set<Integer>> pairs = new LinkedHashSet<>();
    while (pairs.size() != 2 * switches) {
      pairs.clear();
      for (int ring = 0; ring < 2; ring++) {
        Collections.shuffle(order, random);
        for (int i = 0; i < switches; i++) {
          pairs.add(Set.of(order.get(i), order.get((i + 1) % switches)));
        }
      }
    }
    return Topologies.of(
        switches,
        pairs.stream()
            .map(pair -> pair.stream().mapToInt(each -> each).toArray())
            .toArray(int[][]::new));
  }

  @Test
  void plan_withCapacitiesAndBackground_isTheBestOfAll() throws UnplannableException {
    Random random = new Random(7);
    for (Topology topology : Graphs.connected(4).toList()) {
      Map<UndirectedLink, Double> capacities = new HashMap<>();
      Map<UndirectedLink, Double> background = new HashMap<>();
      for (DirectedLink link : topology.links()) {
        capacities.put(UndirectedLink.of(link), random.nextBoolean() ? 10.0 : 40.0);
        background.put(UndirectedLink.of(link), (double) random.nextInt(3));
      }
      assertIsBest(
          Requests.weighted(onSome(topology, random), Optional.empty(), capacities, background));
    }
  }

  @Test
  void plan_byWhatIsTravelled_isTheBestOfAll() throws UnplannableException {
    Random random = new Random(8);
    for (Topology topology : Graphs.connected(4).toList()) {
      PlanRequest request = onSome(topology, random);
      Traffic uniform =
          (identity, egress) ->
              egress.equals(identity.ingress()) ? 0 : 1.0 / (topology.switches().size() - 1);
      assertIsBest(Requests.weighted(request, Optional.of(uniform), Map.of(), Map.of()));
    }
  }

  private static PlanRequest onSome(Topology topology, Random random) {
    int switches = topology.switches().size();
    List<Long> ingresses = List.of(1L, 1L + random.nextInt(switches)).stream().distinct().toList();
    List<Demand> demands = new ArrayList<>(Requests.demands(topology, ingresses, 0));
    demands.set(0, new Demand(demands.get(0).identity(), 1 + random.nextInt(3)));
    return Requests.balanced(topology, demands, random.nextInt(1000));
  }

  @Test
  void plan_ofTheSameRequest_isTheSame() throws UnplannableException {
    Topology topology = Graphs.random(12, 10, new Random(3));
    PlanRequest request = Requests.balanced(topology, Requests.demandsOfAll(topology, 1), 42);
    assertEquals(new PaperPlanner().plan(request), new PaperPlanner().plan(request));
    PlanRequest byPaper = Requests.byPaper(request);
    assertEquals(new PaperPlanner().plan(byPaper), new PaperPlanner().plan(byPaper));
  }

  @Test
  void plan_ofALargerNetwork_isBetterThanThePapersOrAsGood() throws UnplannableException {
    for (int seed = 1; seed <= 3; seed++) {
      Topology topology = Graphs.random(14, 16, new Random(seed));
      PlanRequest request = Requests.balanced(topology, Requests.demandsOfAll(topology, 1), seed);
      SubflowPlan balanced = new PaperPlanner().plan(request);
      assertIsPlanFor(request, balanced);
      SubflowPlan paper = new PaperPlanner().plan(Requests.byPaper(request));
      assertTrue(balanced.maximum() <= paper.maximum(), () -> balanced + " and " + paper);
      assertTrue(
          balanced.maximum() < paper.maximum() || balanced.spread() <= paper.spread(),
          () -> balanced + " and " + paper);
    }
  }

  @Test
  void plan_withoutHamiltonianPath_isATreeAndSaysWhy() throws UnplannableException {
    Topology star = Topologies.of(4, new int[][] {{1, 2}, {1, 3}, {1, 4}});
    PlanRequest request = Requests.balanced(star, Requests.demandsOfAll(star, 0), 1);
    SubflowPlan plan = new PaperPlanner().plan(request);
    assertIsPlanFor(request, plan);
    for (Route route : plan.routes()) {
      assertEquals(Route.Kind.TREE, route.kind());
      assertTrue(route.reason().startsWith("A tree, because no path"), route::reason);
      if (!route.identity().ingress().equals(DatapathId.of(1))) {
        assertEquals(2, route.branches().size());
      }
    }
    assertEquals(6, plan.maximum());
    assertTrue(plan.provenOptimal(), plan::proof);
  }

  @Test
  void plan_forOneEgress_leadsNowhereElse() throws UnplannableException {
    Topology star = Topologies.of(4, new int[][] {{1, 2}, {1, 3}, {1, 4}});
    PlanRequest request =
        Requests.towards(Requests.balanced(star, Requests.demands(star, List.of(2L), 0), 1), 2, 3);
    SubflowPlan plan = new PaperPlanner().plan(request);
    assertEquals(ImmutableList.of(Topologies.path(2, 1, 3)), plan.routes().get(0).branches());
    assertEquals(0, plan.loads().get(between(1, 4)));
  }

  @Test
  void plan_withWideLinks_putsMoreOnThem() throws UnplannableException {
    PlanRequest request =
        Requests.balanced(
            RING_WITH_CHORD, Requests.demands(RING_WITH_CHORD, List.of(4L, 5L), 0), 1);
    Map<UndirectedLink, Double> capacities = Map.of(between(1, 2), 100.0);
    SubflowPlan plan =
        assertIsBest(Requests.weighted(request, Optional.empty(), capacities, Map.of()));
    assertTrue(
        plan.loads().get(between(1, 2))
            >= new PaperPlanner().plan(request).loads().get(between(1, 2)));
    assertTrue(plan.minimum() <= 0.04, "sub-flows by capacity");
  }

  @Test
  void plan_withLoadedLink_avoidsIt() throws UnplannableException {
    Topology square = Topologies.of(4, new int[][] {{1, 2}, {2, 3}, {3, 4}, {4, 1}, {1, 3}});
    PlanRequest request = Requests.balanced(square, Requests.demands(square, List.of(2L), 0), 1);
    SubflowPlan plan =
        assertIsBest(
            Requests.weighted(request, Optional.empty(), Map.of(), Map.of(between(1, 3), 10.0)));
    assertEquals(0, plan.loads().get(between(1, 3)), "the load that is planned, nothing else");
    assertEquals(10, plan.maximum(), "with what is there anyway");
  }

  @Test
  void plan_ofANetworkThatFallsApart_namesTheSwitches() {
    Topology apart = Topologies.of(5, new int[][] {{1, 2}, {2, 3}, {4, 5}});
    UnplannableException thrown =
        assertThrows(
            UnplannableException.class,
            () ->
                new PaperPlanner()
                    .plan(Requests.balanced(apart, Requests.demandsOfAll(apart, 0), 1)));
    assertEquals(
        "The network is partitioned: no path leads from 00:00:00:00:00:00:00:01 to"
            + " 00:00:00:00:00:00:00:04, 00:00:00:00:00:00:00:05.",
        thrown.getMessage());
  }

  @Test
  void plan_withUnknownSwitchOrLink_namesIt() {
    Topology line = Topologies.of(2, new int[][] {{1, 2}});
    PlanRequest request = Requests.balanced(line, Requests.demandsOfAll(line, 0), 1);
    assertEquals(
        "There is no switch 00:00:00:00:00:00:00:09.",
        assertThrows(
                UnplannableException.class,
                () -> new PaperPlanner().plan(Requests.towards(request, 1, 9)))
            .getMessage());
    Demand elsewhere = new Demand(new FlowIdentity(Topologies.link(1, 7), 0), 1);
    assertEquals(
        "There is no link " + elsewhere.identity().first() + ".",
        assertThrows(
                UnplannableException.class,
                () -> new PaperPlanner().plan(Requests.balanced(line, List.of(elsewhere), 1)))
            .getMessage());
  }

  @Test
  void plan_withBadNumbers_isRefused() {
    Topology line = Topologies.of(2, new int[][] {{1, 2}});
    List<Demand> demands = Requests.demandsOfAll(line, 0);
    PlanRequest request = Requests.balanced(line, demands, 1);
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new PaperPlanner()
                .plan(
                    Requests.weighted(
                        request, Optional.empty(), Map.of(between(1, 2), 0.0), Map.of())));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new PaperPlanner()
                .plan(
                    Requests.weighted(
                        request, Optional.empty(), Map.of(), Map.of(between(1, 2), Double.NaN))));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new PaperPlanner()
                .plan(Requests.balanced(line, List.of(demands.get(0), demands.get(0)), 1)));
  }

  @Test
  void plan_ofNothing_isEmpty() throws UnplannableException {
    Topology line = Topologies.of(2, new int[][] {{1, 2}});
    SubflowPlan plan = new PaperPlanner().plan(Requests.balanced(line, List.of(), 1));
    assertEquals(ImmutableList.of(), plan.routes());
    assertEquals(Set.of(0.0), plan.loads().values().stream().collect(Collectors.toSet()));
    assertFalse(plan.proof().isEmpty());
    SubflowPlan none = new PaperPlanner().plan(Requests.balanced(Topology.EMPTY, List.of(), 1));
    assertEquals(0, none.maximum());
  }
}
