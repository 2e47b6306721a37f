package io.malob.controller.network.topology;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.Multimaps;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.PathTree;
import io.malob.algorithm.graph.Topology;
import io.malob.controller.network.links.LinkSnapshot;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LinkType;
import net.floodlightcontroller.linkdiscovery.Link;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The network as one graph at one moment, with derived data. Immutable to its readers; paths are
 * computed when they are first asked for. Safe for use by several threads.
 *
 * <p>A link that was found in one direction only serves paths in that direction, and excludes hosts
 * from both of its ports, but is not used for broadcasts.
 *
 * <p>Hosts on a segment that legacy switches make count as attached at one of its ports, and enter
 * and leave the network at the port that is the nearest to their peer: see {@link #route}.
 */
public final class TopologySnapshot {
  /** No switches. */
  public static final TopologySnapshot EMPTY = of(LinkSnapshot.EMPTY);

  private final Topology topology;
  private final ImmutableSetMultimap<DatapathId, OFPort> ports;
  private final ImmutableSetMultimap<DatapathId, OFPort> linked;
  private final Segments segments;
  private final ImmutableSetMultimap<DatapathId, OFPort> attachment;
  private final BroadcastTree broadcast;
  private final ImmutableSetMultimap<DatapathId, DatapathId> parts;
  private final ConcurrentHashMap<DatapathId, PathTree> trees = new ConcurrentHashMap<>();

  private TopologySnapshot(
      Topology topology,
      ImmutableSetMultimap<DatapathId, OFPort> ports,
      ImmutableSetMultimap<DatapathId, OFPort> linked,
      Segments segments,
      ImmutableSet<NodePortTuple> settled) {
    this.topology = topology;
    this.ports = ports;
    this.linked = linked;
    this.segments = segments;
    broadcast = BroadcastTree.of(topology.switches(), segments);
    ImmutableSetMultimap.Builder<DatapathId, OFPort> free = ImmutableSetMultimap.builder();
    for (NodePortTuple port : settled) {
      Optional<Segment> shared = sharedSegment(port);
      if (shared.isPresent()
          ? shared.get().attachment().equals(port)
          : !linked.containsEntry(port.getNodeId(), port.getPortId())) {
        free.put(port.getNodeId(), port.getPortId());
      }
    }
    attachment = free.build();
    parts = ImmutableSetMultimap.copyOf(Multimaps.forMap(broadcast.roots())).inverse();
  }

  /** The topology that follows from these links and ports. */
  public static TopologySnapshot of(LinkSnapshot snapshot) {
    Set<DirectedLink> links = new LinkedHashSet<>();
    Set<DirectedLink> throughLegacySwitches = new HashSet<>();
    snapshot
        .links()
        .forEach(
            (link, info) -> {
              links.add(directed(link));
              if (info.getLinkType() == LinkType.MULTIHOP_LINK) {
                throughLegacySwitches.add(directed(link));
              }
            });
    ImmutableSetMultimap.Builder<DatapathId, OFPort> linked = ImmutableSetMultimap.builder();
    for (DirectedLink link : links) {
      linked.put(link.src(), link.srcPort());
      linked.put(link.dst(), link.dstPort());
    }
    return new TopologySnapshot(
        Topology.of(snapshot.switches(), links),
        snapshot.ports(),
        linked.build(),
        Segments.of(links, throughLegacySwitches),
        snapshot.settled());
  }

  private static DirectedLink directed(Link link) {
    return new DirectedLink(link.getSrc(), link.getSrcPort(), link.getDst(), link.getDstPort());
  }

  /** Switches and directed links. */
  public Topology topology() {
    return topology;
  }

  /** The ports of a switch that lead to switches. */
  public ImmutableSet<OFPort> linkedPorts(DatapathId switchId) {
    return linked.get(switchId);
  }

  /**
   * Whether hosts may be attached to a port: up, probed long enough, and without a link, or the one
   * port of a shared segment at which its hosts count as attached.
   */
  public boolean isAttachmentPoint(DatapathId switchId, OFPort port) {
    return attachment.containsEntry(switchId, port);
  }

  /** Whether it is not known yet whether a port leads to a switch, as just after it has come up. */
  public boolean isUndecided(NodePortTuple port) {
    return !linked.containsEntry(port.getNodeId(), port.getPortId())
        && !isAttachmentPoint(port.getNodeId(), port.getPortId());
  }

  /** Whether a broadcast may enter or leave at a port. */
  public boolean isBroadcastAllowed(DatapathId switchId, OFPort port) {
    NodePortTuple at = new NodePortTuple(switchId, port);
    if (broadcast.has(at)) {
      return true;
    }
    // the hosts of a segment that is on the tree are reached over its ports on the tree
    boolean reachesTree =
        sharedSegment(at).stream().flatMap(all -> all.ports().stream()).anyMatch(broadcast::has);
    return isAttachmentPoint(switchId, port) && !reachesTree;
  }

  /** The segment that a port shares with legacy switches; empty if it is no such port. */
  public Optional<Segment> sharedSegment(NodePortTuple port) {
    return Optional.ofNullable(segments.byPort().get(port)).filter(Segment::isShared);
  }

  /**
   * The entry and exit of packets between hosts that count as attached at these ports; the return
   * path is the same. Empty if there is none.
   */
  public Optional<HostRoute> route(NodePortTuple from, NodePortTuple to) {
    return HostRoute.of(this, from, to);
  }

  /** Whether two switches are joined by links that work in both directions. */
  public boolean isSamePart(DatapathId switchA, DatapathId switchB) {
    DatapathId root = broadcast.roots().get(switchA);
    return root != null && root.equals(broadcast.roots().get(switchB));
  }

  /** The ports of a switch where hosts may be attached. */
  public ImmutableSet<OFPort> attachmentPorts(DatapathId switchId) {
    return attachment.get(switchId);
  }

  /** The switches of the connected part of the network that a switch is in, with itself. */
  public ImmutableSet<DatapathId> partOf(DatapathId switchId) {
    DatapathId root = broadcast.roots().get(switchId);
    return root == null ? ImmutableSet.of() : parts.get(root);
  }

  /** The path with the fewest hops; empty if there is none. */
  public Optional<Path> path(DatapathId from, DatapathId to) {
    if (!topology.switches().contains(from) || !topology.switches().contains(to)) {
      return Optional.empty();
    }
    return trees.computeIfAbsent(from, source -> PathTree.fewestHops(topology, source)).pathTo(to);
  }

  /** Whether all switches and links of a path exist. */
  public boolean contains(Path path) {
    return topology.contains(path);
  }

  /** Whether another snapshot is equal. */
  boolean isSameAs(TopologySnapshot other) {
    return topology.equals(other.topology)
        && ports.equals(other.ports)
        && segments.equals(other.segments)
        && attachment.equals(other.attachment);
  }
}
