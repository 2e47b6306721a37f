package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.malob.algorithm.graph.UndirectedLink;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Plans a route for each identity, so that links carry about the same number of sub-flows. Pure:
 * the same request gives the same plan. The work is bounded by steps, not by time.
 */
public final class SubflowPlanner {
  private final PlanRequest request;
  private final Network network;
  private final ChoiceFinder finder;
  private final SplittableRandom random;

  private SubflowPlanner(PlanRequest request) throws UnplannableException {
    this.request = request;
    this.network = new Network(request.topology());
    this.finder = new ChoiceFinder(request, network);
    this.random = new SplittableRandom(request.seed());
  }

  /**
   * Plans.
   *
   * @throws UnplannableException if the network is partitioned, or a switch or link of the request
   *     does not exist
   * @throws IllegalArgumentException if an identity comes twice, or a number is out of its range
   */
  public static SubflowPlan plan(PlanRequest request) throws UnplannableException {
    check(request);
    return new SubflowPlanner(request).plan();
  }

  private static void check(PlanRequest request) {
    Set<FlowIdentity> identities = new HashSet<>();
    for (Demand demand : request.demands()) {
      if (!identities.add(demand.identity())) {
        throw new IllegalArgumentException(demand.identity() + " comes twice");
      }
    }
    request
        .capacities()
        .forEach(
            (link, capacity) -> {
              if (!(capacity > 0 && capacity < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("the capacity of " + link + " is " + capacity);
              }
            });
    request
        .background()
        .forEach(
            (link, load) -> {
              if (!(load >= 0 && load < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("the load of " + link + " is " + load);
              }
            });
  }

  private SubflowPlan plan() {
    Previous previous = new Previous(network, finder.egress(), request.previous());
    Loads loads = new Loads(network, request.capacities(), request.background());
    if (request.paths() == PlanRequest.PathKind.DISJOINT) {
      ImmutableList<Route> routes =
          request
              .traffic()
              .map(traffic -> new TravelledMethod(request, network, traffic, loads).run(previous))
              .orElseGet(() -> new DisjointMethod(request, network, loads).run(previous));
      return plan(
          routes,
          loads,
          new Verdict(
              false, "Short paths are chosen one after the other, not by the maximum alone."));
    }
    List<Choice> choices = request.demands().stream().map(finder::choice).toList();
    List<int[]> ways = new ArrayList<>();
    List<Integer> free = new ArrayList<>();
    for (Choice choice : choices) {
      int[] kept = previous.way(choice);
      if (kept.length == 0) {
        free.add(ways.size());
      }
      ways.add(kept.length == 0 ? begin(choice) : kept);
    }
    Bounds bounds = new Bounds(network, finder.egress(), choices, loads);
    Assignment assignment = new Assignment(choices, ways, loads);
    Verdict verdict = choose(assignment, bounds, free.stream().mapToInt(index -> index).toArray());
    RouteBuilder builder = new RouteBuilder(network);
    ImmutableList<Route> routes =
        IntStream.range(0, assignment.size())
            .mapToObj(index -> builder.route(assignment.choice(index), assignment.way(index)))
            .collect(ImmutableList.toImmutableList());
    return request.maxDetour().isPresent()
        ? withoutDetours(routes, request.maxDetour().getAsInt())
            .orElseGet(() -> plan(routes, loads, verdict))
        : plan(routes, loads, verdict);
  }

  /** The plan with cut routes; empty if none is to be cut. */
  private Optional<SubflowPlan> withoutDetours(ImmutableList<Route> routes, int max) {
    DetourLimit limit = new DetourLimit(request.topology(), request.egresses(), max);
    Loads loads = new Loads(network, request.capacities(), request.background());
    ImmutableList.Builder<Route> cut = ImmutableList.builder();
    int changed = 0;
    for (int i = 0; i < routes.size(); i++) {
      Demand demand = request.demands().get(i);
      Route route = limit.cut(routes.get(i), demand.isComplete());
      loads.add(new Counter(network, demand, request.traffic()).count(route));
      cut.add(route);
      changed += route.cutFrom().isPresent() ? 1 : 0;
    }
    String proof =
        String.format(
            "Balanced as whole paths, of which %d of %d are cut where they become detours.",
            changed, routes.size());
    return changed == 0
        ? Optional.empty()
        : Optional.of(plan(cut.build(), loads, new Verdict(false, proof)));
  }

  private int[] begin(Choice choice) {
    return request.method() == PlanRequest.Method.PAPER
        ? choice.ways().any(random)
        : choice.ways().start(random);
  }

  private Verdict choose(Assignment assignment, Bounds bounds, int[] free) {
    if (request.method() == PlanRequest.Method.PAPER) {
      String ending = new PaperMethod(assignment, random).run();
      Verdict verdict = Verdict.byBounds(assignment.loads().score(), bounds);
      return new Verdict(verdict.isOptimal(), ending + " " + verdict.proof());
    }
    BalancedMethod balanced = new BalancedMethod(assignment, bounds, random);
    return free.length == assignment.size() ? balanced.plan() : balanced.repair(free);
  }

  private SubflowPlan plan(ImmutableList<Route> routes, Loads loads, Verdict verdict) {
    ImmutableSortedMap.Builder<UndirectedLink, Double> byLink = ImmutableSortedMap.naturalOrder();
    for (int edge = 0; edge < network.edgeCount(); edge++) {
      byLink.put(network.edges().get(edge), loads.load(edge));
    }
    Score score = loads.score();
    return new SubflowPlan(
        routes,
        byLink.build(),
        score.maximum(),
        score.minimum(),
        verdict.isOptimal(),
        verdict.proof());
  }
}
