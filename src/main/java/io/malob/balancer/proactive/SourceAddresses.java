package io.malob.balancer.proactive;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.stream.Collectors.toSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.openflow.IpFamily;
import io.malob.openflow.TableLayout;
import io.malob.openflow.bucket.SourceRules;
import io.malob.state.network.SelfAddresses;
import io.malob.state.network.SelfAddresses.SelfAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The addresses that members see instead of clients: each client's edge gets one of its own in each
 * subnet of members, and keeps it. After a restart, the rules of a switch tell which it has. Also
 * the edges' rules about them. For one thread at a time.
 */
final class SourceAddresses {
  /** The longest prefixes first. */
  private final List<Subnet> subnets = new ArrayList<>();

  private final UnaryOperator<IPAddress<?>> nextHop;
  private final int zone;
  private final Programmed programmed;

  /** What the rules of each edge were made of. */
  private final Map<DatapathId, Inputs> made = new HashMap<>();

  private record Owner() {}

  /** What the rules of an edge depend on. */
  private record Inputs(
      ImmutableSet<IPAddress<?>> addresses, ImmutableSet<NextHop> nextHops, TableLayout layout) {}

  /** The addresses in a subnet of members, and the edges that have one. */
  static final class Subnet {
    private final ImmutableList<SelfAddress> all;
    private final Map<DatapathId, IPAddress<?>> edges = new HashMap<>();

    Subnet(ImmutableList<SelfAddress> all) {
      this.all = all;
    }

    private boolean contains(IPAddress<?> address, int vlan) {
      return all.get(0).vlan() == vlan && all.get(0).isNeighbour(address);
    }

    /** The address of an edge; empty if none is left. */
    Optional<IPAddress<?>> of(DatapathId edge) {
      @Nullable IPAddress<?> own = edges.get(edge);
      return own != null ? Optional.of(own) : assign(edge);
    }

    /** Mostly the same one after a restart, also if the switch has lost its rules. */
    private Optional<IPAddress<?>> assign(DatapathId edge) {
      int first = Math.floorMod(Long.hashCode(edge.getLong()), all.size());
      for (int tried = 0; tried < all.size(); tried++) {
        IPAddress<?> address = all.get((first + tried) % all.size()).address();
        if (!edges.containsValue(address)) {
          edges.put(edge, address);
          return Optional.of(address);
        }
      }
      return Optional.empty();
    }

    private void learn(IPAddress<?> address, DatapathId edge) {
      boolean isFree = !edges.containsValue(address) && !edges.containsKey(edge);
      if (isFree && all.stream().anyMatch(each -> each.address().equals(address))) {
        edges.put(edge, address);
      }
    }
  }

  /** From where requests of a family come. */
  record NextHop(IpFamily family, Attachment at) {}

  /**
   * No edge has an address.
   *
   * @param all the addresses
   * @param nextHop the host that packets to an address are delivered to
   * @param zone the zone in which switches track connections
   */
  SourceAddresses(
      SelfAddresses all, UnaryOperator<IPAddress<?>> nextHop, int zone, Programmed programmed) {
    all.bySubnet().forEach(each -> subnets.add(new Subnet(each)));
    this.nextHop = nextHop;
    this.zone = zone;
    this.programmed = programmed;
  }

  /** The subnet in which a member sees addresses of edges; empty if there are none for it. */
  Optional<Subnet> subnetOf(Server member) {
    IPAddress<?> neighbour = nextHop.apply(AddressKey.toAddress(member.address()));
    return subnets.stream()
        .filter(each -> each.contains(neighbour, member.at().vlan()))
        .findFirst();
  }

  /** What a member sees of an edge's clients; empty if no address is left. */
  Optional<IPAddress<?>> of(DatapathId edge, Server member) {
    return subnetOf(member).flatMap(subnet -> subnet.of(edge));
  }

  /** A rule of an earlier run tells of the address of its switch. */
  void learn(DatapathId switchId, OFFlowStatsEntry rule) {
    SourceRules.addressIn(rule)
        .ifPresent(address -> subnets.forEach(each -> each.learn(address, switchId)));
  }

  /**
   * Brings the rules of edges up to date.
   *
   * @param areUsed whether the members of any VIP see source addresses
   * @param nextHops the next hops of these VIPs, by their switches
   */
  void advance(boolean areUsed, ImmutableSetMultimap<DatapathId, NextHop> nextHops, long nowNanos) {
    Set<DatapathId> wanted = areUsed ? edges() : Set.of();
    for (DatapathId edge : wanted) {
      programmed.wire(edge).ifPresent(wire -> program(wire, nextHops.get(edge), nowNanos));
    }
    for (DatapathId edge : List.copyOf(made.keySet())) {
      if (!wanted.contains(edge)) {
        made.remove(edge);
        programmed.clear(edge, new Owner(), nowNanos);
      }
    }
  }

  /** The edges that have addresses. */
  Map<SelfAddress, DatapathId> byAddress() {
    Map<SelfAddress, DatapathId> found = new HashMap<>();
    for (Subnet subnet : subnets) {
      for (SelfAddress each : subnet.all) {
        subnet.edges.forEach(
            (edge, address) -> {
              if (address.equals(each.address())) {
                found.put(each, edge);
              }
            });
      }
    }
    return found;
  }

  private Set<DatapathId> edges() {
    return subnets.stream().flatMap(each -> each.edges.keySet().stream()).collect(toSet());
  }

  private void program(Wire wire, ImmutableSet<NextHop> nextHops, long nowNanos) {
    DatapathId edge = wire.sw().switchId();
    ImmutableSet<IPAddress<?>> addresses =
        subnets.stream()
            .flatMap(each -> Optional.ofNullable(each.edges.get(edge)).stream())
            .collect(toImmutableSet());
    Inputs inputs = new Inputs(addresses, nextHops, wire.tables().layout());
    if (!inputs.equals(made.put(edge, inputs))) {
      wire.sw().set(new Owner(), rules(inputs, wire), wire.tables(), nowNanos);
    }
  }

  private List<OFFlowAdd> rules(Inputs inputs, Wire wire) {
    List<OFFlowAdd> rules = new ArrayList<>();
    Set<IpFamily> families = new HashSet<>();
    for (IPAddress<?> address : inputs.addresses) {
      rules.addAll(SourceRules.ofAddress(wire.factory(), address, zone));
      if (families.add(IpFamily.of(address))) {
        rules.add(SourceRules.ofFamily(wire.factory(), IpFamily.of(address), zone));
      }
    }
    for (NextHop each : inputs.nextHops) {
      rules.add(SourceRules.toNextHop(wire.tables(), each.family(), each.at(), zone));
    }
    return rules;
  }
}
