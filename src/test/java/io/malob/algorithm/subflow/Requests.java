package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.testing.PaperTopology;
import io.malob.testing.Topologies;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.projectfloodlight.openflow.types.DatapathId;

/** Requests for plans, and their parts. */
final class Requests {
  private Requests() {}

  /** One identity for each link of these switches. */
  static ImmutableList<Demand> demands(Topology topology, Collection<Long> ingresses, int vlan) {
    return ingresses.stream()
        .flatMap(ingress -> topology.linksFrom(DatapathId.of(ingress)).stream())
        .map(first -> new Demand(new FlowIdentity(first, vlan), 1))
        .collect(ImmutableList.toImmutableList());
  }

  static ImmutableList<Demand> demandsOfAll(Topology topology, int vlan) {
    return demands(topology, topology.switches().stream().map(DatapathId::getLong).toList(), vlan);
  }

  static UndirectedLink between(long a, long b) {
    return UndirectedLink.of(Topologies.link(a, b));
  }

  /** Hosts on all switches, whole routes, nothing in use. */
  static PlanRequest balanced(Topology topology, Collection<Demand> demands, long seed) {
    return new PlanRequest(
        topology,
        ImmutableList.copyOf(demands),
        topology.switches(),
        PlanRequest.Method.BALANCED,
        PlanRequest.PathKind.HAMILTONIAN,
        Optional.empty(),
        ImmutableMap.of(),
        ImmutableMap.of(),
        ImmutableList.of(),
        OptionalInt.empty(),
        seed);
  }

  /** The paper's 22 identities. */
  static PlanRequest paperTopology(long seed) {
    Topology topology = PaperTopology.topology();
    ImmutableList.Builder<Demand> demands = ImmutableList.builder();
    for (int i = 0; i < PaperTopology.VLANS.size(); i++) {
      demands.addAll(demands(topology, PaperTopology.INGRESSES.get(i), PaperTopology.VLANS.get(i)));
    }
    return balanced(topology, demands.build(), seed);
  }

  static PlanRequest byPaper(PlanRequest request) {
    return new PlanRequest(
        request.topology(),
        request.demands(),
        request.egresses(),
        PlanRequest.Method.PAPER,
        request.paths(),
        request.traffic(),
        request.capacities(),
        request.background(),
        request.previous(),
        request.maxDetour(),
        request.seed());
  }

  static PlanRequest towards(PlanRequest request, long... egresses) {
    ImmutableSortedSet.Builder<DatapathId> ids = ImmutableSortedSet.naturalOrder();
    for (long egress : egresses) {
      ids.add(DatapathId.of(egress));
    }
    return new PlanRequest(
        request.topology(),
        request.demands(),
        ids.build(),
        request.method(),
        request.paths(),
        request.traffic(),
        request.capacities(),
        request.background(),
        request.previous(),
        request.maxDetour(),
        request.seed());
  }

  static PlanRequest after(PlanRequest request, SubflowPlan plan) {
    return new PlanRequest(
        request.topology(),
        request.demands(),
        request.egresses(),
        request.method(),
        request.paths(),
        request.traffic(),
        request.capacities(),
        request.background(),
        plan.routes(),
        request.maxDetour(),
        request.seed());
  }

  static PlanRequest weighted(
      PlanRequest request,
      Optional<Traffic> traffic,
      Map<UndirectedLink, Double> capacities,
      Map<UndirectedLink, Double> background) {
    return new PlanRequest(
        request.topology(),
        request.demands(),
        request.egresses(),
        request.method(),
        request.paths(),
        traffic,
        ImmutableMap.copyOf(capacities),
        ImmutableMap.copyOf(background),
        request.previous(),
        request.maxDetour(),
        request.seed());
  }
}
