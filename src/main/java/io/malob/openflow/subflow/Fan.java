package io.malob.openflow.subflow;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSetMultimap;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.subflow.Route;
import io.malob.openflow.label.Label;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPAddressWithMask;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Makes the rules of all switches from routes and hosts. Pure. */
public final class Fan {
  private final ImmutableSetMultimap.Builder<DatapathId, SubflowRule> rules =
      ImmutableSetMultimap.builder();

  private Fan() {}

  /**
   * A route whose branches have labels.
   *
   * @param labels one for each branch
   */
  public record LabelledRoute(Route route, ImmutableList<Label> labels) {
    public LabelledRoute {
      if (labels.size() != route.branches().size()) {
        throw new IllegalArgumentException("each branch of a route has a label");
      }
    }
  }

  /** Who puts the VLAN tag on the frames of a host. */
  public enum Tagging {
    /** There is none. */
    NONE,
    /** The host itself. */
    HOST,
    /** The switch, as an access port does; it takes it off as well. */
    SWITCH
  }

  /**
   * An address of a host.
   *
   * @param vlan 0 for none
   * @param network what it reaches without a router
   */
  public record Address(
      IPAddress<?> address,
      IPAddressWithMask<?> network,
      DatapathId switchId,
      OFPort port,
      MacAddress mac,
      int vlan,
      Tagging tagging) {}

  /** An address sends over this route. */
  public record Source(Address address, LabelledRoute route) {}

  /**
   * All rules, by switch.
   *
   * @param sources addresses whose sub-flows have routes
   * @param destinations all addresses that can be reached over routes
   */
  public static ImmutableSetMultimap<DatapathId, SubflowRule> rules(
      Collection<LabelledRoute> routes,
      Collection<Source> sources,
      Collection<Address> destinations) {
    Set<DatapathId> switches = new LinkedHashSet<>();
    for (LabelledRoute route : routes) {
      route.route.branches().forEach(branch -> switches.addAll(branch.switches()));
    }
    sources.forEach(source -> switches.add(source.address.switchId));
    destinations.forEach(address -> switches.add(address.switchId));
    Fan fan = new Fan();
    switches.forEach(switchId -> fan.rules.put(switchId, new SubflowRule.Labelled()));
    for (LabelledRoute route : routes) {
      fan.carry(route);
      fan.divert(route, destinations);
    }
    sources.forEach(fan::classify);
    destinations.forEach(fan::deliver);
    return fan.rules.build();
  }

  private void carry(LabelledRoute labelled) {
    List<Path> branches = labelled.route.branches();
    for (int i = 0; i < branches.size(); i++) {
      Label label = labelled.labels.get(i);
      for (DatapathId switchId : branches.get(i).switches()) {
        rules.put(switchId, new SubflowRule.Carry(label, branches.get(i).outOf(switchId)));
      }
    }
  }

  private void divert(LabelledRoute labelled, Collection<Address> destinations) {
    Route route = labelled.route;
    if (route.branches().size() == 1) {
      return;
    }
    Map<DatapathId, Integer> branchTo = branchesTo(route);
    for (Address address : destinations) {
      int branch = branchTo.getOrDefault(address.switchId, 0);
      if (branch > 0) {
        rules.put(
            route.identity().ingress(),
            new SubflowRule.Divert(
                labelled.labels.get(0),
                address.address,
                labelled.labels.get(branch),
                route.branches().get(branch).firstPort()));
      }
    }
  }

  /** By switch, the number of the branch for packets to its hosts. */
  private static Map<DatapathId, Integer> branchesTo(Route route) {
    Map<DatapathId, Integer> branches = new HashMap<>();
    for (int i = 0; i < route.branches().size(); i++) {
      for (DatapathId switchId : route.branches().get(i).switches()) {
        branches.putIfAbsent(switchId, i);
      }
    }
    return branches;
  }

  private void classify(Source source) {
    Address from = source.address;
    boolean push = from.tagging == Tagging.SWITCH;
    rules.put(
        from.switchId,
        new SubflowRule.Classify(
            push ? 0 : from.vlan,
            push ? from.vlan : 0,
            from.address,
            from.network,
            source.route.labels.get(0)));
  }

  private void deliver(Address to) {
    rules.put(
        to.switchId,
        new SubflowRule.Deliver(
            to.vlan, to.tagging == Tagging.SWITCH, to.address, to.mac, to.port));
  }
}
