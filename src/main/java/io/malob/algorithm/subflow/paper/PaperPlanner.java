package io.malob.algorithm.subflow.paper;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import io.malob.algorithm.subflow.Counter;
import io.malob.algorithm.subflow.Demand;
import io.malob.algorithm.subflow.Loads;
import io.malob.algorithm.subflow.Network;
import io.malob.algorithm.subflow.PlanRequest;
import io.malob.algorithm.subflow.Route;
import io.malob.algorithm.subflow.SubflowPlan;
import io.malob.algorithm.subflow.SubflowPlanner;
import io.malob.algorithm.subflow.UnplannableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Plans Hamiltonian paths, or trees if there are none, as "SDN-Based Load Balancing for Multi-Path
 * TCP" does: by a search for the smallest maximum of sub-flows per link ({@link BalancedMethod}),
 * or by the paper's own method ({@link PaperMethod}).
 */
public final class PaperPlanner implements SubflowPlanner {

  @Override
  public SubflowPlan plan(PlanRequest request) throws UnplannableException {
    return new Planning(request).plan();
  }

  /** One request. */
  private static final class Planning {
    private final PlanRequest request;
    private final Network network;
    private final boolean[] egress;
    private final ChoiceFinder finder;
    private final SplittableRandom random;

    Planning(PlanRequest request) throws UnplannableException {
      this.request = request;
      this.network = Network.of(request);
      this.egress = network.among(request.egresses());
      this.finder = new ChoiceFinder(request, network, egress);
      this.random = new SplittableRandom(request.seed());
    }

    SubflowPlan plan() {
      PreviousRoutes previous =
          new PreviousRoutes(
              network, egress, Maps.uniqueIndex(request.previous(), Route::identity));
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
      AnnealingLoads loads = new AnnealingLoads(network, request);
      Bounds bounds = new Bounds(network, egress, choices, loads);
      Assignment assignment = new Assignment(choices, ways, loads);
      Verdict verdict =
          choose(assignment, bounds, free.stream().mapToInt(index -> index).toArray());
      ImmutableList<Route> routes =
          IntStream.range(0, assignment.size())
              .mapToObj(index -> assignment.choice(index).route(network, assignment.way(index)))
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
      return SubflowPlan.of(network, routes, loads, verdict.isOptimal(), verdict.proof());
    }
  }
}
