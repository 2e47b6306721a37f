package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Server;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.TrackedMember;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/** What the members of a VIP see instead of its clients, if they do. For one thread at a time. */
record VipSources(BucketTraffic traffic, SourceAddresses addresses) {
  private static final String LACKING =
      "no address in the setting sourceAddresses is left for switch %s in the subnet of member %s";

  /** A member as the clients of a switch reach it. */
  TrackedMember seen(DatapathId switchId, TrackedMember tracked) {
    return traffic.translatesSource()
        ? tracked.seeing(addresses.of(switchId, tracked.member()).orElse(null))
        : tracked;
  }

  /** What members see of the clients of edges, and the edges of these addresses. */
  ImmutableMap<IPAddress<?>, DatapathId> of(Collection<DatapathId> edges, List<Server> members) {
    if (!traffic.translatesSource()) {
      return ImmutableMap.of();
    }
    Map<IPAddress<?>, DatapathId> sources = new HashMap<>();
    members.stream()
        .flatMap(member -> addresses.subnetOf(member).stream())
        .distinct()
        .forEach(
            subnet ->
                edges.forEach(edge -> subnet.of(edge).ifPresent(each -> sources.put(each, edge))));
    return ImmutableMap.copyOf(sources);
  }

  /** Why members cannot see an address of a switch; empty if they can, or need not. */
  Optional<String> lacking(DatapathId switchId, List<Server> members) {
    return traffic.translatesSource()
        ? members.stream()
            .filter(member -> addresses.of(switchId, member).isEmpty())
            .findFirst()
            .map(member -> LACKING.formatted(switchId, AddressKey.toAddress(member.address())))
        : Optional.empty();
  }
}
