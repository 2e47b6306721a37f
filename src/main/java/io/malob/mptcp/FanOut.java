package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.json.RejectedException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPAddressWithMask;

/**
 * Gives each host as many addresses as its switch has core links, each of which sends over one of
 * them (section II.A.2 and 3 of the paper). Aliases are the own address plus 10, 20, …, as in the
 * paper, if these are free, otherwise the next free addresses of its network. For one thread at a
 * time.
 */
final class FanOut {
  /** The max number of addresses of a host that the kernel's MPTCP uses. */
  static final int MAX_ADDRESSES = 8;

  private static final int STEP = 10;

  private final ImmutableListMultimap<DatapathId, DirectedLink> coreLinks;
  private final Map<IPAddress<?>, String> owners = new HashMap<>();

  /** By network: no higher address is free. */
  private final Map<IPAddressWithMask<?>, BigInteger> fromTheEnd = new HashMap<>();

  private final Map<DatapathId, Integer> placed = new HashMap<>();

  /**
   * Starts without addresses.
   *
   * @param coreLinks of each switch, in the order in which addresses take them
   */
  FanOut(ImmutableListMultimap<DatapathId, DirectedLink> coreLinks) {
    this.coreLinks = coreLinks;
  }

  /**
   * The hosts with all their addresses.
   *
   * @param before members whose addresses are kept if they suffice, by the id of their host
   * @param taken addresses of other hosts
   */
  ImmutableList<Member> members(
      Collection<Host> hosts, Map<String, Member> before, Collection<IPAddress<?>> taken)
      throws RejectedException {
    for (Host host : hosts) {
      claim(host, host.ip(), "address");
    }
    taken.forEach(address -> owners.putIfAbsent(address, ""));
    for (Host host : hosts) {
      for (IPAddress<?> alias : fixedAliases(host, before)) {
        claim(host, alias, "addresses");
      }
    }
    List<Member> members = new ArrayList<>();
    for (Host host : hosts) {
      members.add(member(host, fixedAliases(host, before)));
    }
    return ImmutableList.copyOf(members);
  }

  private static List<IPAddress<?>> fixedAliases(Host host, Map<String, Member> before) {
    @Nullable Member member = before.get(host.id());
    return member == null || !member.host().ip().equals(host.ip())
        ? host.aliases()
        : member.addresses().subList(1, member.addresses().size());
  }

  private void claim(Host host, IPAddress<?> address, String field) throws RejectedException {
    @Nullable String owner = owners.put(address, host.id());
    if (owner != null && !owner.isEmpty()) {
      throw RejectedException.invalid(
          "hosts." + host.id() + "." + field,
          String.format(
              "hosts.%s.%s: %s is an address of %s, too", host.id(), field, address, owner));
    }
  }

  private Member member(Host host, List<IPAddress<?>> fixed) throws RejectedException {
    ImmutableList<DirectedLink> links = turned(host);
    int wanted = Math.min(links.size(), MAX_ADDRESSES);
    List<IPAddress<?>> addresses = new ArrayList<>(List.of(host.ip()));
    addresses.addAll(fixed);
    if (!host.aliases().isEmpty() && addresses.size() < wanted) {
      throw RejectedException.unprocessable(
          "hosts." + host.id() + ".addresses",
          String.format(
              "hosts.%s.addresses: %s has %d core links, so %s needs %d addresses besides its own,"
                  + " not %d",
              host.id(), host.switchId(), links.size(), host.id(), wanted - 1, fixed.size()));
    }
    while (addresses.size() < wanted) {
      addresses.add(free(host, addresses.size()));
    }
    // a host without core links keeps its own address, and sends over none
    int used = Math.min(addresses.size(), Math.max(1, wanted));
    return new Member(
        host,
        ImmutableList.copyOf(addresses.subList(0, used)),
        links.subList(0, Math.min(used, links.size())),
        links.subList(Math.min(used, links.size()), links.size()));
  }

  /**
   * The core links of a host's switch, starting after those of the previous host: so hosts together
   * use all of them, even if one host has too few addresses.
   */
  private ImmutableList<DirectedLink> turned(Host host) {
    ImmutableList<DirectedLink> links = coreLinks.get(host.switchId());
    int ordinal = placed.merge(host.switchId(), 1, Integer::sum) - 1;
    if (links.size() <= MAX_ADDRESSES) {
      return links;
    }
    int first = ordinal * MAX_ADDRESSES % links.size();
    return ImmutableList.<DirectedLink>builder()
        .addAll(links.subList(first, links.size()))
        .addAll(links.subList(0, first))
        .build();
  }

  private IPAddress<?> free(Host host, int number) throws RejectedException {
    HostRange range = HostRange.of(host.network());
    BigInteger wanted = HostRange.number(host.ip()).add(BigInteger.valueOf((long) STEP * number));
    if (range.contains(wanted) && take(range.address(wanted), host)) {
      return range.address(wanted);
    }
    BigInteger next = fromTheEnd.getOrDefault(host.network(), range.last());
    while (range.contains(next)) {
      IPAddress<?> address = range.address(next);
      next = next.subtract(BigInteger.ONE);
      if (take(address, host)) {
        fromTheEnd.put(host.network(), next);
        return address;
      }
    }
    throw RejectedException.unprocessable(
        "hosts." + host.id() + ".address",
        String.format(
            "hosts.%s.address: %s has no room for the %d addresses that %s needs",
            host.id(),
            host.network(),
            Math.min(coreLinks.get(host.switchId()).size(), MAX_ADDRESSES),
            host.id()));
  }

  /** Gives an address to a host; false if it has an owner. */
  private boolean take(IPAddress<?> address, Host host) {
    return owners.putIfAbsent(address, host.id()) == null;
  }

  /** Checks that ids are unique. */
  static void checkIds(Collection<GivenHost> hosts) throws RejectedException {
    Set<String> ids = new HashSet<>();
    for (GivenHost host : hosts) {
      if (!ids.add(host.id())) {
        throw RejectedException.invalid("hosts", "hosts: two hosts have the id " + host.id());
      }
    }
  }
}
