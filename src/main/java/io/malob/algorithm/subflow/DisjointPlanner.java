package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

/**
 * Plans short paths: by the traffic of a request if it is known ({@link KnownTrafficMethod}), else
 * edge-disjoint ones as far as possible ({@link DisjointMethod}).
 */
public final class DisjointPlanner implements SubflowPlanner {

  @Override
  public SubflowPlan plan(PlanRequest request) throws UnplannableException {
    Network network = Network.of(request);
    Loads loads = new Loads(network, request.capacities(), request.background());
    ImmutableMap<FlowIdentity, Route> kept =
        request.previous().stream()
            .filter(route -> mayStay(route, request))
            .collect(ImmutableMap.toImmutableMap(Route::identity, route -> route));
    ImmutableList<Route> routes =
        request
            .traffic()
            .map(traffic -> new KnownTrafficMethod(request, network, traffic, loads).run(kept))
            .orElseGet(() -> new DisjointMethod(request, network, loads).run(kept));
    return SubflowPlan.of(
        network,
        routes,
        loads,
        false,
        "Short paths are chosen one after the other, not by the maximum alone.");
  }

  /** Whether a route in use is of short paths, and has all its links and egress switches. */
  private static boolean mayStay(Route route, PlanRequest request) {
    return route.kind() == Route.Kind.DISJOINT
        && route.links().stream().allMatch(request.topology()::contains)
        && request.egresses().stream().allMatch(egress -> route.branchTo(egress).isPresent());
  }
}
