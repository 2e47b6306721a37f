package io.malob.balancer.view;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.Predicate;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The way from each core switch, which does not translate, to the nearest switch that does. For the
 * balancer, a host behind a core switch is attached to that switch, at the port towards the host.
 * Nearest is by the number of links; of several, the one that is reached over switches with the
 * smallest DPIDs. Immutable.
 */
public final class AccessPaths {
  /** No core switches. */
  public static final AccessPaths NONE = new AccessPaths(ImmutableMap.of(), ImmutableSet.of());

  private final ImmutableMap<DatapathId, Hop> hops;
  private final ImmutableSet<NodePortTuple> edgePorts;
  private final ImmutableSet<DatapathId> unserved;

  /**
   * A core switch, and the next switch on the way.
   *
   * @param up the port of the core switch to the next one
   * @param down the port of the next switch back to the core switch
   */
  public record Hop(DatapathId core, OFPort up, DatapathId next, OFPort down) {}

  private AccessPaths(ImmutableMap<DatapathId, Hop> hops, ImmutableSet<DatapathId> unserved) {
    this.hops = hops;
    this.unserved = unserved;
    this.edgePorts =
        hops.values().stream()
            .filter(hop -> !hops.containsKey(hop.next))
            .map(hop -> new NodePortTuple(hop.next, hop.down))
            .collect(ImmutableSet.toImmutableSet());
  }

  /** The ways in a network. */
  public static AccessPaths of(Topology topology, Predicate<DatapathId> isCore) {
    Set<DatapathId> cores = new HashSet<>();
    Queue<DatapathId> reached = new ArrayDeque<>();
    for (DatapathId switchId : topology.switches()) {
      if (isCore.test(switchId)) {
        cores.add(switchId);
      } else {
        reached.add(switchId);
      }
    }
    if (cores.isEmpty()) {
      return NONE;
    }
    Map<DatapathId, Hop> hops = new LinkedHashMap<>();
    while (!reached.isEmpty()) {
      DatapathId next = reached.remove();
      for (DirectedLink down : topology.linksFrom(next)) {
        DatapathId core = down.dst();
        if (cores.contains(core) && !hops.containsKey(core)) {
          portBetween(topology, core, next)
              .ifPresent(
                  up -> {
                    hops.put(core, new Hop(core, up, next, down.srcPort()));
                    reached.add(core);
                  });
        }
      }
    }
    cores.removeAll(hops.keySet());
    return new AccessPaths(ImmutableMap.copyOf(hops), ImmutableSortedSet.copyOf(cores));
  }

  private static Optional<OFPort> portBetween(Topology topology, DatapathId src, DatapathId dst) {
    return topology.linksBetween(src, dst).stream().map(DirectedLink::srcPort).findFirst();
  }

  /**
   * Where a host is attached for the balancer: the place itself at a switch that translates; empty
   * at a core switch from which no such switch is reached.
   */
  public Optional<Attachment> edgeOf(Attachment place) {
    if (unserved.contains(place.switchId())) {
      return Optional.empty();
    }
    @Nullable Hop hop = hops.get(place.switchId());
    if (hop == null) {
      return Optional.of(place);
    }
    Hop last = hop;
    for (@Nullable Hop on = hop; on != null; on = hops.get(on.next)) {
      last = on;
    }
    return Optional.of(new Attachment(last.next, last.down, place.mac(), place.vlan()));
  }

  /** Whether hosts behind core switches are attached, for the balancer, to that port. */
  public boolean isEdgePort(DatapathId switchId, OFPort port) {
    return !edgePorts.isEmpty() && edgePorts.contains(new NodePortTuple(switchId, port));
  }

  /** The hops from a core switch, the first one first; empty for other switches. */
  public List<Hop> from(DatapathId switchId) {
    List<Hop> way = new ArrayList<>();
    for (@Nullable Hop on = hops.get(switchId); on != null; on = hops.get(on.next)) {
      way.add(on);
    }
    return way;
  }

  /** The first hop from each core switch that reaches a switch that translates. */
  public Iterable<Hop> hops() {
    return hops.values();
  }

  /** The core switches from which no switch that translates is reached. */
  public ImmutableSet<DatapathId> unserved() {
    return unserved;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AccessPaths paths
        && paths.hops.equals(hops)
        && paths.unserved.equals(unserved);
  }

  @Override
  public int hashCode() {
    return hops.hashCode();
  }
}
