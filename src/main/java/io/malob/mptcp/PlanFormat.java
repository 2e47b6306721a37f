package io.malob.mptcp;

import com.google.common.collect.ImmutableSetMultimap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.PlanRequest;
import io.malob.algorithm.subflow.Route;
import io.malob.algorithm.subflow.Score;
import io.malob.json.Json;
import io.malob.openflow.CookieKind;
import io.malob.openflow.subflow.SubflowRule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Shows a plan as JSON values.
 *
 * @param names of switches
 */
record PlanFormat(Function<DatapathId, String> names) {

  /**
   * All of a plan.
   *
   * @param rules of the plan
   */
  Map<String, @Nullable Object> shown(
      NetworkPlan plan, ImmutableSetMultimap<DatapathId, SubflowRule> rules) {
    PlanSettings settings = plan.settings();
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("method", word(settings.method()));
    // deprecated: the method says it
    shown.put(
        "paths_kind",
        settings.method() == PlanRequest.Method.DISJOINT ? "disjoint" : "hamiltonian");
    shown.put("vlan", plan.perVlan());
    shown.put("count", settings.travelled() ? "travelled" : "whole");
    shown.put("weights", word(settings.weights()));
    shown.put(
        "max_detour", settings.maxDetour().isPresent() ? settings.maxDetour().getAsInt() : null);
    shown.put("family", word(settings.family()));
    shown.put("seed", settings.seed());
    shown.put("maximum", Score.rounded(plan.plan().maximum()));
    shown.put("minimum", Score.rounded(plan.plan().minimum()));
    shown.put("spread", Score.rounded(plan.plan().spread()));
    shown.put("deviation", Score.rounded(deviation(plan)));
    shown.put("proven_optimal", plan.plan().provenOptimal());
    shown.put("proof", plan.plan().proof());
    shown.put("links", links(plan));
    shown.put("paths", paths(plan));
    shown.put("hosts", plan.members().stream().map(this::member).collect(Collectors.toList()));
    shown.put("rules", rules(plan, rules));
    shown.put("notes", new ArrayList<>(plan.notes()));
    return shown;
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static double deviation(NetworkPlan plan) {
    Collection<Double> loads = plan.plan().loads().values();
    double mean = loads.stream().mapToDouble(Double::doubleValue).average().orElse(0);
    return Math.sqrt(
        loads.stream().mapToDouble(load -> (load - mean) * (load - mean)).average().orElse(0));
  }

  private List<Object> links(NetworkPlan plan) {
    List<Object> links = new ArrayList<>();
    plan.plan()
        .loads()
        .forEach(
            (link, load) -> {
              Map<String, Object> line = link(link);
              line.put("subflows", Score.rounded(load));
              links.add(line);
            });
    return links;
  }

  private Map<String, Object> link(UndirectedLink link) {
    return Json.fields(
        "a", names.apply(link.a()),
        "a_port", port(link.aPort()),
        "b", names.apply(link.b()),
        "b_port", port(link.bPort()));
  }

  private static long port(OFPort port) {
    return Integer.toUnsignedLong(port.getPortNumber());
  }

  private List<Object> paths(NetworkPlan plan) {
    List<Object> paths = new ArrayList<>();
    for (Member member : plan.members()) {
      for (int i = 0; i < member.addresses().size(); i++) {
        Optional<Route> route = plan.route(member, i);
        if (route.isPresent()) {
          paths.add(path(member, i, route.get()));
        }
      }
    }
    return paths;
  }

  private Map<String, @Nullable Object> path(Member member, int number, Route route) {
    return Json.fields(
        "host", member.host().id(),
        "address", member.addresses().get(number).toString(),
        "ingress", names.apply(route.identity().ingress()),
        "port", port(route.identity().first().srcPort()),
        "vlan", vlan(member.host()),
        "kind", word(route.kind()),
        "reason", route.reason(),
        "switches", switches(route.branches().get(0)),
        "branches", route.branches().stream().map(this::switches).collect(Collectors.toList()));
  }

  private List<String> switches(Path path) {
    return path.switches().stream().map(names).collect(Collectors.toList());
  }

  private static @Nullable Integer vlan(Host host) {
    return host.vlan() == 0 ? null : host.vlan();
  }

  private Map<String, @Nullable Object> member(Member member) {
    Host host = member.host();
    Map<String, @Nullable Object> line =
        Json.fields(
            "id", host.id(),
            "switch", names.apply(host.switchId()),
            "port", port(host.at().port()),
            "mac", host.at().mac().toString(),
            "vlan", vlan(host),
            "tagged_by", host.vlan() == 0 ? null : word(host.tagging()),
            "address", host.ip() + "/" + host.prefixLength());
    List<Object> addresses = new ArrayList<>();
    for (int i = 0; i < member.addresses().size(); i++) {
      Map<String, @Nullable Object> address = new LinkedHashMap<>();
      address.put("address", member.addresses().get(i).toString());
      boolean sends = i < member.homes().size();
      @Nullable DirectedLink home = sends ? member.homes().get(i) : null;
      address.put("port", home == null ? null : port(home.srcPort()));
      address.put("to", home == null ? null : names.apply(home.dst()));
      addresses.add(address);
    }
    line.put("addresses", addresses);
    line.put(
        "merged_ports",
        member.merged().stream().map(link -> port(link.srcPort())).collect(Collectors.toList()));
    line.put("commands", HostCommands.of(member));
    return line;
  }

  private Map<String, Object> rules(
      NetworkPlan plan, ImmutableSetMultimap<DatapathId, SubflowRule> rules) {
    List<Object> switches = new ArrayList<>();
    for (DatapathId switchId : plan.topology().switches()) {
      Collection<SubflowRule> own = rules.get(switchId);
      Map<String, @Nullable Object> line =
          Json.fields(
              "switch", names.apply(switchId),
              "ingress", count(own, CookieKind.SUBFLOW_INGRESS),
              "labels", count(own, CookieKind.SUBFLOW_LABEL) + count(own, CookieKind.SUBFLOW_END));
      // V * n * k, the paper's section II.A.5: all identities; each branch of a route has a label
      line.put(
          "labels_bound",
          plan.plan().routes().stream().mapToLong(route -> route.branches().size()).sum());
      line.put("diversions", count(own, CookieKind.SUBFLOW_DIVERSION));
      line.put("destinations", count(own, CookieKind.SUBFLOW_DESTINATION));
      switches.add(line);
    }
    return Json.fields("total", rules.size(), "switches", switches);
  }

  private static long count(Collection<SubflowRule> rules, CookieKind kind) {
    return rules.stream().filter(rule -> rule.kind() == kind).count();
  }
}
