package io.malob.mptcp;

import io.malob.openflow.subflow.Fan;
import io.malob.openflow.subflow.Fan.Tagging;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPAddressWithMask;

/** Hosts without routes of their own in the network of a host with routes. Pure. */
final class Neighbours {
  private Neighbours() {}

  /** The addresses of all of them. */
  static List<Fan.Address> of(NetworkPlan plan, Collection<KnownHosts.Seen> seen) {
    Set<IPAddress<?>> own = new HashSet<>();
    Map<Integer, Set<IPAddressWithMask<?>>> networks = new HashMap<>();
    for (Member member : plan.members()) {
      own.addAll(member.addresses());
      networks
          .computeIfAbsent(member.host().vlan(), any -> new HashSet<>())
          .add(member.host().network());
    }
    List<Fan.Address> neighbours = new ArrayList<>();
    for (KnownHosts.Seen one : seen) {
      for (IPAddress<?> address : one.addresses()) {
        if (!own.contains(address)) {
          networks.getOrDefault(one.vlan(), Set.of()).stream()
              .filter(network -> network.contains(address))
              .findFirst()
              .ifPresent(network -> neighbours.add(address(one, address, network)));
        }
      }
    }
    return neighbours;
  }

  private static Fan.Address address(
      KnownHosts.Seen seen, IPAddress<?> address, IPAddressWithMask<?> network) {
    return new Fan.Address(
        address,
        network,
        seen.at().switchId(),
        seen.at().port(),
        seen.at().mac(),
        seen.vlan(),
        seen.vlan() == 0 ? Tagging.NONE : Tagging.HOST);
  }
}
