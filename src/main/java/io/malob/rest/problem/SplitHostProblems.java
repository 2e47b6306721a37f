package io.malob.rest.problem;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSetMultimap;
import io.malob.balancer.api.SplitHost;
import io.malob.module.AttachedHosts;
import io.malob.rest.problem.Problem.Reason;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import net.floodlightcontroller.devicemanager.IDevice;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The problems of hosts that send from two ports in turns. Immutable.
 *
 * @param addresses of these hosts, by MAC
 */
record SplitHostProblems(
    List<SplitHost> hosts, ImmutableSetMultimap<MacAddress, IPAddress<?>> addresses) {

  /** The problems of split hosts, whose addresses are found among all hosts. */
  static SplitHostProblems of(List<SplitHost> split, Collection<? extends IDevice> all) {
    Set<MacAddress> macs =
        split.stream().map(each -> each.first().mac()).collect(Collectors.toSet());
    return new SplitHostProblems(
        split,
        macs.isEmpty()
            ? ImmutableSetMultimap.of()
            : all.stream()
                .filter(host -> macs.contains(host.getMACAddress()))
                .collect(
                    ImmutableSetMultimap.flatteningToImmutableSetMultimap(
                        IDevice::getMACAddress, host -> AttachedHosts.addressesOf(host).stream())));
  }

  /** Whether one of the hosts has an address. */
  boolean have(IPAddress<?> address) {
    return addresses.containsValue(address);
  }

  ImmutableList<Problem> all() {
    return hosts.stream().map(this::problem).collect(ImmutableList.toImmutableList());
  }

  private Problem problem(SplitHost host) {
    MacAddress mac = host.first().mac();
    String own = Joiner.on(", ").join(addresses.get(mac));
    Reason reason = host.isOverSwitches() ? Reason.BOND_OVER_SWITCHES : Reason.BOND_NOT_NAMED;
    return reason.of(
        null,
        "Host %s%s sends from port %s of switch %s and from port %s of switch %s in turns, so"
            + " packets for it are lost.",
        mac,
        own.isEmpty() ? "" : " (" + own + ")",
        host.first().port(),
        host.first().switchId(),
        host.second().port(),
        host.second().switchId());
  }
}
