package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.Route;
import io.malob.openflow.label.Label;
import io.malob.openflow.subflow.Fan;
import io.malob.openflow.subflow.Fan.LabelledRoute;
import io.malob.openflow.subflow.SubflowRule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * A plan whose routes have labels. Immutable.
 *
 * @param routes by identity
 */
record LabelledPlan(NetworkPlan plan, ImmutableMap<FlowIdentity, LabelledRoute> routes) {

  /** With unused labels, to show the rules of a plan that is not installed. */
  static LabelledPlan fresh(NetworkPlan plan) {
    return label(plan, ImmutableMap.of(), new LabelNumbers(ImmutableList.of())::next);
  }

  /** Labels a plan. An unchanged route keeps its labels; a label never gets another path. */
  static LabelledPlan label(
      NetworkPlan plan, Map<FlowIdentity, LabelledRoute> before, Supplier<Label> labels) {
    Map<FlowIdentity, LabelledRoute> routes = new LinkedHashMap<>();
    plan.routes()
        .forEach(
            (identity, route) -> {
              @Nullable LabelledRoute earlier = before.get(identity);
              routes.put(
                  identity,
                  earlier != null && earlier.route().branches().equals(route.branches())
                      ? new LabelledRoute(route, earlier.labels())
                      : fresh(route, labels));
            });
    return new LabelledPlan(plan, ImmutableMap.copyOf(routes));
  }

  private static LabelledRoute fresh(Route route, Supplier<Label> labels) {
    return new LabelledRoute(
        route,
        Stream.generate(labels)
            .limit(route.branches().size())
            .collect(ImmutableList.toImmutableList()));
  }

  /** All labels in use. */
  List<Label> labels() {
    return routes.values().stream().flatMap(route -> route.labels().stream()).toList();
  }

  /**
   * The rules of all switches.
   *
   * @param others further addresses that can be reached
   */
  ImmutableSetMultimap<DatapathId, SubflowRule> rules(Collection<Fan.Address> others) {
    List<Fan.Source> sources = new ArrayList<>();
    List<Fan.Address> destinations = new ArrayList<>(others);
    destinations.addAll(addresses());
    for (Member member : plan.members()) {
      for (int i = 0; i < member.addresses().size(); i++) {
        Fan.Address address = address(member.host(), member.addresses().get(i));
        plan.route(member, i)
            .map(route -> routes.get(route.identity()))
            .ifPresent(route -> sources.add(new Fan.Source(address, route)));
      }
    }
    return Fan.rules(routes.values(), sources, destinations);
  }

  /** The addresses of all members, and others; those of members count. */
  ImmutableMap<IPAddress<?>, Fan.Address> addresses(Collection<Fan.Address> others) {
    Map<IPAddress<?>, Fan.Address> addresses = new HashMap<>();
    others.forEach(address -> addresses.put(address.address(), address));
    addresses().forEach(address -> addresses.put(address.address(), address));
    return ImmutableMap.copyOf(addresses);
  }

  /** The addresses of all members. */
  List<Fan.Address> addresses() {
    return plan.members().stream()
        .flatMap(member -> member.addresses().stream().map(each -> address(member.host(), each)))
        .toList();
  }

  private static Fan.Address address(Host host, IPAddress<?> address) {
    return new Fan.Address(
        address,
        host.network(),
        host.switchId(),
        host.at().port(),
        host.at().mac(),
        host.vlan(),
        host.tagging());
  }
}
