package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.UndirectedLink;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Chooses short paths, one ingress switch and VLAN after the other, each with the loads of the
 * others. Then each is chosen again a few times, and improvements stay. Routes in use stay as they
 * are.
 */
final class DisjointMethod {
  private static final int ROUNDS = 3;

  private final PlanRequest request;
  private final Network network;
  private final Loads loads;
  private final DisjointRoutes disjoint;
  private final Map<FlowIdentity, Route> routes = new LinkedHashMap<>();
  private final Map<FlowIdentity, Counter> counters = new LinkedHashMap<>();

  /** The demands of one ingress switch and VLAN. */
  private record Group(DatapathId ingress, int vlan) {
    static Group of(FlowIdentity identity) {
      return new Group(identity.ingress(), identity.vlan());
    }
  }

  DisjointMethod(PlanRequest request, Network network, Loads loads) {
    this.request = request;
    this.network = network;
    this.loads = loads;
    this.disjoint = new DisjointRoutes(request.topology(), request.egresses());
    for (Demand demand : request.demands()) {
      counters.put(demand.identity(), new Counter(network, demand, request.traffic()));
    }
  }

  /**
   * A route for each demand, in their order; updates the loads.
   *
   * @param kept the routes in use that can stay
   */
  ImmutableList<Route> run(Map<FlowIdentity, Route> kept) {
    Map<Group, List<FlowIdentity>> groups = new LinkedHashMap<>();
    for (Demand demand : request.demands()) {
      FlowIdentity identity = demand.identity();
      groups.computeIfAbsent(Group.of(identity), any -> new ArrayList<>()).add(identity);
    }
    groups.values().removeIf(group -> keep(group, kept));
    groups.values().forEach(this::choose);
    for (int round = 0; round < ROUNDS; round++) {
      groups.values().forEach(this::chooseAgain);
    }
    return request.demands().stream()
        .map(demand -> Optional.ofNullable(routes.get(demand.identity())).orElseThrow())
        .collect(ImmutableList.toImmutableList());
  }

  /** Paths of one ingress switch belong together: all of them stay, or none. */
  private boolean keep(List<FlowIdentity> group, Map<FlowIdentity, Route> kept) {
    List<Route> own =
        group.stream().flatMap(each -> Optional.ofNullable(kept.get(each)).stream()).toList();
    if (own.size() < group.size()) {
      return false;
    }
    own.forEach(this::put);
    return true;
  }

  private void choose(List<FlowIdentity> group) {
    disjoint.routes(group, this::value).forEach(this::put);
  }

  private void chooseAgain(List<FlowIdentity> group) {
    Score before = loads.score();
    List<Route> old = group.stream().flatMap(identity -> take(identity).stream()).toList();
    choose(group);
    if (!loads.score().isBetterThan(before)) {
      group.forEach(this::take);
      old.forEach(this::put);
    }
  }

  private double value(UndirectedLink link) {
    return Math.max(0, loads.value(network.number(link)));
  }

  private void put(Route route) {
    routes.put(route.identity(), route);
    loads.add(count(route));
  }

  private Optional<Route> take(FlowIdentity identity) {
    Optional<Route> route = Optional.ofNullable(routes.remove(identity));
    route.map(this::count).ifPresent(loads::remove);
    return route;
  }

  private Footprint count(Route route) {
    return Optional.ofNullable(counters.get(route.identity())).orElseThrow().count(route);
  }
}
