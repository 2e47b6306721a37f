package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Iterables;
import io.malob.algorithm.Attachment;
import io.malob.json.RejectedException;
import io.malob.openflow.IpFamily;
import io.malob.openflow.subflow.Fan.Tagging;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPAddressWithMask;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Combines hosts of requests with hosts that the controller has seen. Pure. */
final class KnownHosts {
  private static final String DEVICE = "eth0";

  private KnownHosts() {}

  /** The prefix length of a host's network, if a request does not give it. */
  static int prefixLength(IpFamily family) {
    return family == IpFamily.IPV4 ? 24 : 64;
  }

  /**
   * A host that the controller has seen.
   *
   * @param vlan of its frames; 0 for none
   * @param addresses the smallest first
   */
  record Seen(Attachment at, int vlan, ImmutableList<IPAddress<?>> addresses) {
    /** By address, then MAC address and VLAN. */
    static final Comparator<Seen> ORDER =
        Comparator.comparing(Seen::smallest, Arrays::compareUnsigned)
            .thenComparing(seen -> seen.at.mac())
            .thenComparing(Seen::vlan);

    private byte[] smallest() {
      return addresses.isEmpty() ? new byte[0] : addresses.get(0).getBytes();
    }
  }

  /** A host of a request, at this location. */
  static Host host(GivenHost given, Attachment at, int vlan, boolean fixed) {
    Tagging tagging = vlan == 0 ? Tagging.NONE : given.tagging();
    if (vlan != 0 && tagging == Tagging.NONE) {
      tagging = Tagging.HOST;
    }
    return new Host(
        given.id(),
        given.address(),
        given.prefixLength(),
        at,
        fixed,
        vlan,
        tagging,
        given.aliases(),
        given.device().orElse(device(vlan, tagging)));
  }

  private static String device(int vlan, Tagging tagging) {
    return tagging == Tagging.HOST ? DEVICE + "." + vlan : DEVICE;
  }

  /** A placeholder host for a switch without hosts. */
  static Host anyOn(DatapathId switchId, String name, int number, IpFamily family) {
    IPAddressWithMask<?> network =
        IPAddressWithMask.of(family == IpFamily.IPV4 ? "10.0.0.0/8" : "fd00::/64");
    HostRange range = HostRange.of(network);
    return new Host(
        name + ".host",
        range.address(range.first().add(BigInteger.valueOf(number - 1))),
        network.getMask().asCidrMaskLength(),
        new Attachment(switchId, OFPort.of(1), MacAddress.NONE),
        true,
        0,
        Tagging.NONE,
        ImmutableList.of(),
        DEVICE);
  }

  /** The hosts of a request, at the locations from the request or from the controller. */
  static List<Host> resolve(Collection<GivenHost> given, Collection<Seen> seen)
      throws RejectedException {
    ImmutableListMultimap<IPAddress<?>, Seen> byAddress = byAddress(seen);
    List<Host> hosts = new ArrayList<>();
    for (GivenHost host : given) {
      hosts.add(resolve(host, byAddress.get(host.address())));
    }
    return hosts;
  }

  /** All seen hosts, by each of their addresses. */
  static ImmutableListMultimap<IPAddress<?>, Seen> byAddress(Collection<Seen> seen) {
    ImmutableListMultimap.Builder<IPAddress<?>, Seen> byAddress = ImmutableListMultimap.builder();
    seen.forEach(one -> one.addresses().forEach(address -> byAddress.put(address, one)));
    return byAddress.build();
  }

  /** Where a host is; its VLAN is in {@link Host}. */
  private static Attachment placeOf(Seen seen) {
    return new Attachment(seen.at().switchId(), seen.at().port(), seen.at().mac());
  }

  private static Host resolve(GivenHost given, List<Seen> seen) throws RejectedException {
    if (given.switchId().isPresent() && given.port().isPresent() && given.mac().isPresent()) {
      Attachment at = new Attachment(given.switchId().get(), given.port().get(), given.mac().get());
      return host(given, at, given.vlan().orElse(0), true);
    }
    // frames that the switch tags arrive without a tag
    Optional<Integer> tag = given.tagging() == Tagging.SWITCH ? Optional.of(0) : given.vlan();
    for (Seen one : seen) {
      if (tag.isEmpty() || tag.get() == one.vlan()) {
        return host(given, placeOf(one), given.vlan().orElse(one.vlan()), false);
      }
    }
    throw RejectedException.unprocessable(
        "hosts." + given.id(),
        String.format(
            "hosts.%s: the controller has not seen %s%s; let it send a packet, or give its mac,"
                + " switch and port",
            given.id(),
            given.address(),
            tag.filter(vlan -> vlan != 0).map(vlan -> " in VLAN " + vlan).orElse("")));
  }

  /** All hosts that the controller has seen, each by its smallest address. */
  static List<Host> all(Collection<Seen> seen) {
    List<Host> hosts = new ArrayList<>();
    for (Seen one : seen) {
      @Nullable IPAddress<?> address = one.addresses().isEmpty() ? null : one.addresses().get(0);
      if (address != null) {
        Tagging tagging = one.vlan() == 0 ? Tagging.NONE : Tagging.HOST;
        hosts.add(
            new Host(
                address.toString(),
                address,
                prefixLength(IpFamily.of(address)),
                one.at(),
                false,
                one.vlan(),
                tagging,
                ImmutableList.of(),
                device(one.vlan(), tagging)));
      }
    }
    return hosts;
  }

  /** The hosts of a plan, at their current locations; and new ones, if the plan is for all. */
  static List<Host> now(Applied applied, List<Seen> seen) {
    ImmutableListMultimap<IPAddress<?>, Seen> byAddress = byAddress(seen);
    Map<String, Host> hosts = new LinkedHashMap<>();
    Set<IPAddress<?>> known = new HashSet<>();
    for (Member member : Iterables.concat(applied.plan().members(), applied.lost())) {
      Host host = member.host();
      hosts.put(host.id(), moved(host, byAddress.get(host.ip())));
      known.addAll(member.addresses());
    }
    if (applied.request().hosts().isEmpty()) {
      all(seen).stream()
          .filter(host -> !known.contains(host.ip()))
          .forEach(host -> hosts.putIfAbsent(host.id(), host));
    }
    return List.copyOf(hosts.values());
  }

  /**
   * A host at its current location; at the former one if it is not seen, or if a request gave the
   * location.
   */
  private static Host moved(Host host, List<Seen> seen) {
    int tag = host.tagging() == Tagging.SWITCH ? 0 : host.vlan();
    return seen.stream()
        .filter(one -> one.vlan() == tag && !host.fixed())
        .findFirst()
        .map(one -> host.movedTo(placeOf(one)))
        .orElse(host);
  }

  /** The addresses that hosts certainly have: only the first of each, others may be aliases. */
  static Set<IPAddress<?>> certain(List<Seen> seen) {
    return seen.stream()
        .flatMap(one -> one.addresses().stream().limit(1))
        .collect(Collectors.toSet());
  }
}
