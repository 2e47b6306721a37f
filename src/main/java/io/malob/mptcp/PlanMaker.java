package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Maps;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.Demand;
import io.malob.algorithm.subflow.DisjointPlanner;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.PlanRequest;
import io.malob.algorithm.subflow.Route;
import io.malob.algorithm.subflow.SubflowPlan;
import io.malob.algorithm.subflow.SubflowPlanner;
import io.malob.algorithm.subflow.Traffic;
import io.malob.algorithm.subflow.UnplannableException;
import io.malob.algorithm.subflow.paper.PaperPlanner;
import io.malob.json.RejectedException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Computes a plan for a network from settings and hosts. Pure, except for its duration.
 *
 * @param capacities of links, or their free capacities, in any unit
 * @param names the display names of switches
 * @param isCore whether a switch only forwards labels, so that it has no hosts of a plan
 */
record PlanMaker(
    PlanSettings settings,
    Topology topology,
    ImmutableMap<UndirectedLink, Double> capacities,
    Function<DatapathId, String> names,
    Predicate<DatapathId> isCore) {

  /**
   * A plan for these hosts.
   *
   * @param taken addresses of others
   * @param earlier members whose addresses are kept, by the ids of their hosts
   * @param before the plan in use, which is kept if possible
   */
  NetworkPlan plan(
      Collection<Host> hosts,
      Collection<IPAddress<?>> taken,
      Map<String, Member> earlier,
      Optional<NetworkPlan> before)
      throws RejectedException {
    List<Host> chosen = chosen(hosts);
    ImmutableListMultimap<DatapathId, DirectedLink> coreLinks = coreLinks(chosen, before);
    ImmutableList<Member> members = new FanOut(coreLinks).members(chosen, earlier, taken);
    boolean perVlan = settings.perVlan().orElse(chosen.stream().anyMatch(host -> host.vlan() != 0));
    ImmutableList<Demand> demands = demands(members, perVlan);
    SubflowPlan plan = solve(members, demands, perVlan, before);
    return new NetworkPlan(
        settings,
        perVlan,
        topology,
        coreLinks,
        members,
        plan,
        Maps.uniqueIndex(plan.routes(), Route::identity),
        notes(members, plan));
  }

  private List<Host> chosen(Collection<Host> hosts) throws RejectedException {
    Set<Integer> vlans = hosts.stream().map(Host::vlan).collect(Collectors.toSet());
    for (int vlan : settings.vlans()) {
      if (!vlans.contains(vlan)) {
        throw RejectedException.unprocessable("vlans", "vlans: VLAN " + vlan + " has no hosts");
      }
    }
    List<Host> chosen =
        hosts.stream()
            .filter(host -> settings.vlans().isEmpty() || settings.vlans().contains(host.vlan()))
            .toList();
    if (chosen.isEmpty()) {
      throw RejectedException.unprocessable("hosts", "hosts: there are no hosts to plan for");
    }
    for (Host host : chosen) {
      if (!topology.switches().contains(host.switchId())) {
        throw unusable(host, "there is no switch " + names.apply(host.switchId()));
      }
      if (isCore.test(host.switchId())) {
        throw unusable(
            host, names.apply(host.switchId()) + " only forwards labels (layout labels-only)");
      }
    }
    return chosen;
  }

  private static RejectedException unusable(Host host, String why) {
    String field = "hosts." + host.id() + ".switch";
    return RejectedException.unprocessable(field, field + ": " + why);
  }

  private ImmutableListMultimap<DatapathId, DirectedLink> coreLinks(
      Collection<Host> hosts, Optional<NetworkPlan> before) {
    ImmutableListMultimap.Builder<DatapathId, DirectedLink> all = ImmutableListMultimap.builder();
    for (DatapathId ingress : ingresses(hosts)) {
      Set<DirectedLink> links = new LinkedHashSet<>();
      before.ifPresent(plan -> links.addAll(plan.coreLinks().get(ingress)));
      links.addAll(topology.linksFrom(ingress));
      all.putAll(ingress, links);
    }
    return all.build();
  }

  private static Set<DatapathId> ingresses(Collection<Host> hosts) {
    return hosts.stream().map(Host::switchId).collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * The demands. Routes of hosts' own addresses have to be complete: connections begin there, and
   * other traffic has no other address.
   */
  private ImmutableList<Demand> demands(Collection<Member> members, boolean perVlan) {
    Map<FlowIdentity, Integer> subflows = new TreeMap<>();
    Set<FlowIdentity> own = new HashSet<>();
    for (Member member : members) {
      for (int i = 0; i < member.addresses().size(); i++) {
        NetworkPlan.identity(member, i, perVlan, topology)
            .ifPresent(identity -> subflows.merge(identity, 1, Integer::sum));
      }
      NetworkPlan.identity(member, 0, perVlan, topology).ifPresent(own::add);
    }
    return subflows.entrySet().stream()
        .map(entry -> new Demand(entry.getKey(), entry.getValue(), own.contains(entry.getKey())))
        .collect(ImmutableList.toImmutableList());
  }

  private SubflowPlan solve(
      ImmutableList<Member> members,
      ImmutableList<Demand> demands,
      boolean perVlan,
      Optional<NetworkPlan> before)
      throws RejectedException {
    Optional<Traffic> traffic =
        settings.travelled()
            ? Optional.of(TrafficMatrix.of(settings.traffic(), members, perVlan, topology))
            : Optional.empty();
    PlanRequest request =
        new PlanRequest(
            topology,
            demands,
            ImmutableSortedSet.copyOf(ingresses(members.stream().map(Member::host).toList())),
            settings.method(),
            traffic,
            capacities,
            ImmutableMap.of(),
            before.map(plan -> plan.plan().routes()).orElse(ImmutableList.of()),
            settings.maxDetour(),
            settings.seed());
    SubflowPlanner planner =
        settings.method() == PlanRequest.Method.DISJOINT
            ? new DisjointPlanner()
            : new PaperPlanner();
    try {
      return planner.plan(request);
    } catch (UnplannableException e) {
      throw RejectedException.unprocessable(null, named(String.valueOf(e.getMessage())));
    }
  }

  /** Replaces the datapath ids in the planner's sentences. */
  private String named(String sentence) {
    String named = sentence;
    for (DatapathId switchId : topology.switches()) {
      named = named.replace(switchId.toString(), names.apply(switchId));
    }
    return named;
  }

  private ImmutableList<String> notes(Collection<Member> members, SubflowPlan plan) {
    List<String> notes = new ArrayList<>();
    for (Member member : members) {
      if (!member.merged().isEmpty()) {
        notes.add(
            String.format(
                "%s has %d core links, but MPTCP uses only %d addresses of a host; it sends no"
                    + " sub-flows of its own over the links to %s",
                member.host().id(),
                member.homes().size() + member.merged().size(),
                FanOut.MAX_ADDRESSES,
                member.merged().stream()
                    .map(link -> names.apply(link.dst()))
                    .collect(Collectors.joining(", "))));
      }
    }
    long cut = plan.routes().stream().filter(route -> route.cutFrom().isPresent()).count();
    if (cut > 0) {
      notes.add(
          String.format(
              "%d of %d paths are cut where they take more than %d links beyond the shortest path:"
                  + " a host's own address reaches the switches behind over shortest paths, its"
                  + " aliases open no sub-flows to them",
              cut, plan.routes().size(), settings.maxDetour().orElse(0)));
    }
    Map<String, List<FlowIdentity>> others = new LinkedHashMap<>();
    for (Route route : plan.routes()) {
      if (route.kind() == Route.Kind.TREE) {
        others
            .computeIfAbsent(named(route.reason()), any -> new ArrayList<>())
            .add(route.identity());
      }
    }
    others.forEach(
        (reason, identities) ->
            notes.add(
                String.format(
                    "%d of %d routes are trees: %s",
                    identities.size(), plan.routes().size(), reason)));
    return ImmutableList.copyOf(notes);
  }
}
