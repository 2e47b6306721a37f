package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.Route;
import io.malob.algorithm.subflow.SubflowPlan;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * A plan for a network: the addresses of hosts, and their routes. Immutable.
 *
 * @param perVlan whether each VLAN has routes of its own
 * @param topology the network of the plan
 * @param coreLinks the outgoing links of each switch with hosts, also those that are down, in the
 *     order of addresses
 * @param routes by identity
 */
record NetworkPlan(
    PlanSettings settings,
    boolean perVlan,
    Topology topology,
    ImmutableListMultimap<DatapathId, DirectedLink> coreLinks,
    ImmutableList<Member> members,
    SubflowPlan plan,
    ImmutableMap<FlowIdentity, Route> routes,
    ImmutableList<String> notes) {

  /**
   * The identity of an address of a member; empty if its switch has no link.
   *
   * @param number of the address
   */
  static Optional<FlowIdentity> identity(
      Member member, int number, boolean perVlan, Topology topology) {
    if (number >= member.homes().size()) {
      return Optional.empty();
    }
    DirectedLink home = member.homes().get(number);
    int vlan = perVlan ? member.host().vlan() : FlowIdentity.ANY_VLAN;
    if (topology.contains(home)) {
      return Optional.of(new FlowIdentity(home, vlan));
    }
    // its own link is down: it shares another link meanwhile
    List<DirectedLink> others = topology.linksFrom(member.host().switchId());
    return others.isEmpty()
        ? Optional.empty()
        : Optional.of(new FlowIdentity(others.get(number % others.size()), vlan));
  }

  /** The route of an address of a member; empty if its switch has no link. */
  Optional<Route> route(Member member, int number) {
    return identity(member, number, perVlan, topology).map(this::route);
  }

  /** The route of each address that has one. */
  ImmutableMap<IPAddress<?>, Route> routesByAddress() {
    ImmutableMap.Builder<IPAddress<?>, Route> found = ImmutableMap.builder();
    for (Member member : members) {
      for (int i = 0; i < member.addresses().size(); i++) {
        IPAddress<?> address = member.addresses().get(i);
        route(member, i).ifPresent(route -> found.put(address, route));
      }
    }
    return found.build();
  }

  /** The links of its topology, and those of routes. */
  Set<DirectedLink> linksInUse() {
    Set<DirectedLink> inUse = new HashSet<>(topology.links());
    routes.values().forEach(route -> inUse.addAll(route.links()));
    return inUse;
  }

  private Route route(FlowIdentity identity) {
    @Nullable Route route = routes.get(identity);
    if (route == null) {
      throw new IllegalStateException("there is no route for " + identity);
    }
    return route;
  }
}
