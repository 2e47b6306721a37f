package io.malob.balancer.proactive;

import com.google.common.collect.HashMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.SetMultimap;
import com.google.common.collect.Sets;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.balancer.bucket.VipNextHops;
import io.malob.balancer.connection.CoreAccess;
import io.malob.module.AttachedHosts;
import io.malob.openflow.IpFamily;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.ReplyRules;
import io.malob.state.network.Routers;
import io.malob.state.network.SelfAddresses;
import io.malob.state.network.SelfAddresses.SelfAddress;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/** Where next hops of proactive VIPs are, and where others may be. For one thread at a time. */
final class NextHopPlaces {
  private final IDeviceService devices;
  private final CoreAccess coreAccess;
  private final VipNextHops nextHops;
  private final SelfAddresses selfAddresses;
  private final SelfAddresses ownAddresses;
  private final Routers routers;

  /** The switches at which routers were attached that the operator has named. */
  private final Set<DatapathId> withRouters = new TreeSet<>();

  /** The keys of each host's addresses, by family and switch; {@link AddressKey#NONE} is one. */
  private Map<IpFamily, SetMultimap<DatapathId, Set<Integer>>> hosts = Map.of();

  /** The next hops of each VIP, by their numbers. */
  private final Map<BucketTraffic, ImmutableMap<MacAddress, Attachment>> byVip = new HashMap<>();

  /** Those that ask for each address, by their own addresses. */
  private final Map<Integer, ImmutableMap<Integer, Attachment>> askers = new HashMap<>();

  /**
   * Nothing is known yet.
   *
   * @param selfAddresses those by which routers reach VIPs
   * @param ownAddresses all that the balancer answers for, besides VIPs
   */
  NextHopPlaces(
      IDeviceService devices,
      CoreAccess coreAccess,
      VipNextHops nextHops,
      SelfAddresses selfAddresses,
      SelfAddresses ownAddresses,
      Routers routers) {
    this.routers = routers;
    this.devices = devices;
    this.coreAccess = coreAccess;
    this.nextHops = nextHops;
    this.selfAddresses = selfAddresses;
    this.ownAddresses = ownAddresses;
  }

  /**
   * The next hops of a VIP, which are copied only if any have changed: those of its address, and
   * those that reach it by one of the balancer's own addresses in its VLAN.
   */
  ImmutableMap<MacAddress, Attachment> of(BucketTraffic vip) {
    return byVip.computeIfAbsent(vip, this::find);
  }

  private ImmutableMap<MacAddress, Attachment> find(BucketTraffic vip) {
    Map<MacAddress, Attachment> found = new HashMap<>(nextHops.of(AddressKey.of(vip.address())));
    for (SelfAddress self : selfAddresses.withSubnets()) {
      if (reaches(self, vip)) {
        nextHops.of(AddressKey.of(self.address())).forEach(found::putIfAbsent);
      }
    }
    return ImmutableMap.copyOf(found);
  }

  /** Whether routers reach a VIP by one of the balancer's own addresses. */
  private static boolean reaches(SelfAddress self, BucketTraffic vip) {
    return self.vlan() == vip.vlan() && IpFamily.of(self.address()) == vip.family();
  }

  /**
   * Those that ask for an IPv4 address of a VIP or of the balancer itself, copied likewise.
   *
   * @param address its key
   */
  ImmutableMap<Integer, Attachment> askers(int address) {
    return askers.computeIfAbsent(address, nextHops::askers);
  }

  /** These addresses of VIPs and those of the balancer itself, if they are IPv4 addresses. */
  Set<Integer> asked(Set<Integer> vips) {
    return Sets.filter(withSelf(vips), each -> !AddressKey.isIpv6(each));
  }

  /** The key of an IPv6 address changes if the address is not used for long. */
  private Set<Integer> withSelf(Set<Integer> vips) {
    return Sets.union(
        vips, ownAddresses.all().stream().map(AddressKey::of).collect(Collectors.toSet()));
  }

  /** Takes over the next hops that have become known. */
  void update() {
    if (nextHops.takeChanged()) {
      byVip.clear();
      askers.clear();
    }
  }

  /** Forgets the next hops of all VIP addresses but these. */
  void retain(Set<Integer> addresses) {
    Set<Integer> all = withSelf(addresses);
    nextHops.retain(all);
    byVip.keySet().removeIf(vip -> !addresses.contains(AddressKey.of(vip.address())));
    askers.keySet().retainAll(all);
  }

  /** Whether hosts were located once. */
  boolean hasHosts() {
    return !hosts.isEmpty();
  }

  /** Locates all hosts. */
  void locateHosts() {
    Map<IpFamily, SetMultimap<DatapathId, Set<Integer>>> found = new EnumMap<>(IpFamily.class);
    for (IDevice device : devices.getAllDevices()) {
      coreAccess
          .edgeOf(device)
          .ifPresent(
              at -> {
                Collection<IPAddress<?>> addresses = AttachedHosts.addressesOf(device);
                if (routers.names(device.getMACAddress(), addresses)) {
                  withRouters.add(at.switchId());
                }
                addresses.stream()
                    .collect(
                        Collectors.groupingBy(
                            IpFamily::of, Collectors.mapping(AddressKey::find, Collectors.toSet())))
                    .forEach(
                        (family, keys) ->
                            found
                                .computeIfAbsent(family, any -> HashMultimap.create())
                                .put(at.switchId(), keys));
              });
    }
    hosts = found;
  }

  /** The switches with hosts of the VIP's family that are not members of its pool. */
  Set<DatapathId> switchesOf(BucketInput input) {
    Set<Integer> members =
        input.located().stream().map(Server::address).collect(Collectors.toSet());
    @Nullable SetMultimap<DatapathId, Set<Integer>> ofFamily = hosts.get(input.traffic().family());
    return ofFamily == null
        ? Set.of()
        : ofFamily.entries().stream()
            .filter(host -> Collections.disjoint(members, host.getValue()))
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet());
  }

  /**
   * Sets of switches where the same clients of a VIP come in: those with routers, and those at
   * which one of its next hops was seen, one after the other.
   */
  Set<Set<DatapathId>> shared(BucketTraffic vip) {
    Set<Set<DatapathId>> all = new HashSet<>(nextHops.shared(AddressKey.of(vip.address())));
    for (SelfAddress self : selfAddresses.withSubnets()) {
      if (reaches(self, vip)) {
        all.addAll(nextHops.shared(AddressKey.of(self.address())));
      }
    }
    all.add(withRouters);
    return all;
  }

  /** A rule for a host of an earlier run tells that it is a next hop, and where it is. */
  void learn(DatapathId switchId, OFFlowStatsEntry rule) {
    ReplyRules.clientOf(rule)
        .ifPresent(
            found -> {
              nextHops.learn(found.vip(), found.at(switchId));
              nextHops.learnAsker(found.vip(), found.client(), found.at(switchId));
            });
  }
}
