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
import java.util.function.Consumer;
import org.projectfloodlight.openflow.types.DatapathId;

/** Requests for plans, and their parts. */
public final class Requests {
  private Requests() {}

  /** One identity for each link of these switches. */
  public static ImmutableList<Demand> demands(
      Topology topology, Collection<Long> ingresses, int vlan) {
    return ingresses.stream()
        .flatMap(ingress -> topology.linksFrom(DatapathId.of(ingress)).stream())
        .map(first -> new Demand(new FlowIdentity(first, vlan), 1))
        .collect(ImmutableList.toImmutableList());
  }

  public static ImmutableList<Demand> demandsOfAll(Topology topology, int vlan) {
    return demands(topology, topology.switches().stream().map(DatapathId::getLong).toList(), vlan);
  }

  public static UndirectedLink between(long a, long b) {
    return UndirectedLink.of(Topologies.link(a, b));
  }

  /** Hosts on all switches, whole routes, nothing in use. */
  public static PlanRequest balanced(Topology topology, Collection<Demand> demands, long seed) {
    return new PlanRequest(
        topology,
        ImmutableList.copyOf(demands),
        topology.switches(),
        PlanRequest.Method.BALANCED,
        Optional.empty(),
        ImmutableMap.of(),
        ImmutableMap.of(),
        ImmutableList.of(),
        OptionalInt.empty(),
        seed);
  }

  /** The paper's 22 identities. */
  public static PlanRequest paperTopology(long seed) {
    Topology topology = PaperTopology.topology();
    ImmutableList.Builder<Demand> demands = ImmutableList.builder();
    for (int i = 0; i < PaperTopology.VLANS.size(); i++) {
      demands.addAll(demands(topology, PaperTopology.INGRESSES.get(i), PaperTopology.VLANS.get(i)));
    }
    return balanced(topology, demands.build(), seed);
  }

  /** The fields of a request that copies have other values of. */
  public static final class Fields {
    public ImmutableSortedSet<DatapathId> egresses;
    public PlanRequest.Method method;
    public Optional<Traffic> traffic;
    public ImmutableMap<UndirectedLink, Double> capacities;
    public ImmutableMap<UndirectedLink, Double> background;
    public ImmutableList<Route> previous;
    public OptionalInt maxDetour;

    private Fields(PlanRequest request) {
      egresses = request.egresses();
      method = request.method();
      traffic = request.traffic();
      capacities = request.capacities();
      background = request.background();
      previous = request.previous();
      maxDetour = request.maxDetour();
    }
  }

  public static PlanRequest copy(PlanRequest request, Consumer<Fields> change) {
    Fields fields = new Fields(request);
    change.accept(fields);
    return new PlanRequest(
        request.topology(),
        request.demands(),
        fields.egresses,
        fields.method,
        fields.traffic,
        fields.capacities,
        fields.background,
        fields.previous,
        fields.maxDetour,
        request.seed());
  }

  public static PlanRequest byPaper(PlanRequest request) {
    return copy(request, fields -> fields.method = PlanRequest.Method.PAPER);
  }

  public static PlanRequest towards(PlanRequest request, long... egresses) {
    ImmutableSortedSet.Builder<DatapathId> ids = ImmutableSortedSet.naturalOrder();
    for (long egress : egresses) {
      ids.add(DatapathId.of(egress));
    }
    return copy(request, fields -> fields.egresses = ids.build());
  }

  public static PlanRequest after(PlanRequest request, SubflowPlan plan) {
    return copy(request, fields -> fields.previous = plan.routes());
  }

  public static PlanRequest weighted(
      PlanRequest request,
      Optional<Traffic> traffic,
      Map<UndirectedLink, Double> capacities,
      Map<UndirectedLink, Double> background) {
    return copy(
        request,
        fields -> {
          fields.traffic = traffic;
          fields.capacities = ImmutableMap.copyOf(capacities);
          fields.background = ImmutableMap.copyOf(background);
        });
  }
}
