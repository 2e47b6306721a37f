package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The part of a partitioned network that gets a plan: the part with the most hosts.
 *
 * @param topology of this part
 * @param hosts in it
 * @param lost the other hosts
 */
record ReachablePart(Topology topology, List<Host> hosts, List<Host> lost) {

  /**
   * The whole network, if it is not partitioned.
   *
   * @param isCore whether a switch only forwards labels; its hosts are not reached
   */
  static ReachablePart of(Topology network, Collection<Host> hosts, Predicate<DatapathId> isCore) {
    Set<DatapathId> seen = new HashSet<>();
    Set<DatapathId> best = Set.of();
    long maxHosts = -1;
    List<Host> attached = hosts.stream().filter(host -> !isCore.test(host.switchId())).toList();
    for (DatapathId start : network.switches()) {
      if (!seen.contains(start)) {
        Set<DatapathId> part = from(start, network);
        seen.addAll(part);
        long count = attached.stream().filter(host -> part.contains(host.switchId())).count();
        if (count > maxHosts) {
          maxHosts = count;
          best = part;
        }
      }
    }
    Set<DatapathId> part = best;
    Predicate<Host> isReached =
        host -> part.contains(host.switchId()) && !isCore.test(host.switchId());
    List<Host> within = hosts.stream().filter(isReached).toList();
    List<Host> lost = hosts.stream().filter(isReached.negate()).toList();
    return new ReachablePart(
        lost.isEmpty() ? network : Topology.of(part, network.links()), within, lost);
  }

  /** Whether an installed plan is for this part, with these hosts. */
  boolean isOf(Applied applied) {
    return topology.equals(applied.plan().topology())
        && hosts.equals(hostsOf(applied.plan().members()))
        && lost.equals(hostsOf(applied.lost()));
  }

  private static List<Host> hostsOf(List<Member> members) {
    return members.stream().map(Member::host).toList();
  }

  /**
   * The other hosts with their addresses.
   *
   * @param earlier the former members, by the ids of their hosts
   */
  ImmutableList<Member> lostMembers(Map<String, Member> earlier) {
    ImmutableList.Builder<Member> members = ImmutableList.builder();
    for (Host host : lost) {
      @Nullable Member member = earlier.get(host.id());
      ImmutableList<IPAddress<?>> addresses =
          member == null ? ImmutableList.of(host.ip()) : member.addresses();
      members.add(new Member(host, addresses, ImmutableList.of(), ImmutableList.of()));
    }
    return members.build();
  }

  private static Set<DatapathId> from(DatapathId start, Topology network) {
    Set<DatapathId> reached = new HashSet<>(Set.of(start));
    ArrayDeque<DatapathId> next = new ArrayDeque<>(reached);
    while (!next.isEmpty()) {
      for (DirectedLink link : network.linksFrom(next.remove())) {
        if (reached.add(link.dst())) {
          next.add(link.dst());
        }
      }
    }
    return reached;
  }
}
