package io.malob.balancer.proactive;

import io.malob.algorithm.Server;
import io.malob.openflow.Onward;
import io.malob.openflow.TableLayout;
import io.malob.openflow.bucket.BucketRules;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.SourceRules;
import io.malob.openflow.bucket.TrackedErrorRules;
import io.malob.openflow.bucket.TrackedMember;
import io.malob.openflow.bucket.TrackedRules;
import io.malob.openflow.bucket.UncommittedRule;
import io.malob.state.catalog.SourceNetworks;
import io.malob.state.catalog.Vip;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddressWithMask;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The rules that send the packets of a VIP to its buckets, by switch. In one table, buckets get
 * packets by themselves, and the exceptions come first. For one thread at a time.
 */
final class EntryRules {
  /** The max number of rules for clients that are not allowed, in one table. */
  static final int MAX_OTHERS = 1_000;

  private final BucketTraffic traffic;
  private final Programmed programmed;

  /** What the rules of each switch depend on. */
  private final Map<DatapathId, Entry> entries = new HashMap<>();

  private record Owner(int vipNumber) {}

  /**
   * What these rules depend on.
   *
   * @param allowed the clients' networks; null for any
   * @param members the members at the switch
   * @param exits the ports where paths to members begin, and behind which there may be clients
   * @param tracked the members that the switch may remember for connections
   */
  private record Entry(
      @Nullable SourceNetworks allowed,
      List<Server> members,
      Set<OFPort> exits,
      List<TrackedMember> tracked,
      TableLayout layout,
      boolean countsTcpFlags) {}

  /** The networks besides the allowed ones, which are found once; null for no limit. */
  private record Others(
      @Nullable SourceNetworks allowed, Optional<List<IPAddressWithMask<?>>> networks) {}

  private Others others = new Others(null, Optional.of(List.of()));

  EntryRules(BucketTraffic traffic, Programmed programmed) {
    this.traffic = traffic;
    this.programmed = programmed;
  }

  /**
   * Brings the rules of a switch up to date.
   *
   * @param allowed the clients' networks; null for any
   * @param members the members at the switch
   * @param exits the ports where paths to members begin, and behind which there may be clients
   * @param tracked the members that the switch may remember for connections
   */
  void set(
      Wire wire,
      @Nullable SourceNetworks allowed,
      List<Server> members,
      Set<OFPort> exits,
      List<TrackedMember> tracked,
      long nowNanos) {
    Entry entry =
        new Entry(
            allowed,
            members,
            Set.copyOf(exits),
            tracked,
            wire.tables().layout(),
            wire.countsTcpFlags());
    if (!entry.equals(entries.put(wire.sw().switchId(), entry))) {
      wire.sw().set(new Owner(traffic.vipNumber()), rules(entry, wire), wire.tables(), nowNanos);
    }
  }

  /** Removes the rules of a switch, also if it is away; false if it has none. */
  boolean clear(DatapathId switchId, long nowNanos) {
    boolean hadRules = entries.remove(switchId) != null;
    if (hadRules) {
      programmed.clear(switchId, new Owner(traffic.vipNumber()), nowNanos);
    }
    return hadRules;
  }

  private List<OFFlowAdd> rules(Entry entry, Wire wire) {
    List<OFFlowAdd> rules = new ArrayList<>();
    // these come first, so that packets that are tracked meet them
    for (TrackedMember each : entry.tracked) {
      rules.addAll(TrackedRules.toMember(wire.tables(), traffic, each));
      rules.addAll(TrackedErrorRules.toMember(wire.tables(), traffic, each));
      @Nullable Onward next = each.next();
      if (each.source() != null && next != null) {
        rules.add(SourceRules.toMember(wire.tables(), traffic, each.member(), next));
        rules.add(SourceRules.exhausted(wire.factory(), traffic, each.member()));
      }
      rules.addAll(TrackedRules.replies(wire.factory(), traffic, each.member()));
    }
    if (traffic.isTracked()) {
      rules.add(TrackedRules.toUnknownMembers(wire.factory(), traffic));
      rules.add(UncommittedRule.of(wire.factory(), traffic));
    }
    for (OFPort port : entry.exits) {
      rules.add(BucketRules.fromPort(wire.tables(), traffic, port));
    }
    @Nullable SourceNetworks allowed = entry.allowed;
    if (wire.tables().isOne()) {
      entry.members.stream()
          .map(server -> server.at().port())
          .distinct()
          .filter(port -> !entry.exits.contains(port))
          .forEach(port -> rules.add(BucketRules.fromPort(wire.tables(), traffic, port)));
      for (IPAddressWithMask<?> each : notAllowed(allowed).orElse(List.of())) {
        rules.add(BucketRules.fromOthers(wire.tables(), traffic, each));
      }
      return rules;
    }
    if (!traffic.translatesSource()) { // otherwise, a member may be led to itself
      for (Server server : entry.members) {
        rules.add(BucketRules.memberAsClient(wire.tables(), traffic, server));
      }
    }
    List<IPAddressWithMask<?>> clients = new ArrayList<>();
    if (allowed == null) {
      clients.add(traffic.family().ending(0, 0));
    } else {
      allowed.texts().forEach(text -> clients.add(IPAddressWithMask.of(text)));
    }
    for (IPAddressWithMask<?> each : clients) {
      rules.add(BucketRules.toBuckets(wire.factory(), traffic, each));
      if (traffic.isTcp() && entry.countsTcpFlags) {
        rules.add(BucketRules.synsToBuckets(wire.factory(), traffic, each));
      }
    }
    return rules;
  }

  /** Whether rules for all clients that the VIP does not allow are too many for one table. */
  boolean areTooMany(Vip vip, boolean isOneTable) {
    return isOneTable && notAllowed(vip.allowedSources()).isEmpty();
  }

  /** The networks that are not allowed; empty if they are too many for one table. */
  private Optional<List<IPAddressWithMask<?>>> notAllowed(@Nullable SourceNetworks allowed) {
    if (!Objects.equals(allowed, others.allowed)) {
      others =
          new Others(
              allowed, allowed == null ? Optional.of(List.of()) : allowed.others(MAX_OTHERS));
    }
    return others.networks;
  }
}
