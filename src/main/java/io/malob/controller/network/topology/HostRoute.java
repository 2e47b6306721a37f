package io.malob.controller.network.topology;

import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.graph.Path;
import java.util.Optional;
import net.floodlightcontroller.core.types.NodePortTuple;

/**
 * The ports where packets between two hosts enter and leave the network of OpenFlow switches. A
 * host behind legacy switches has several ports to choose from: the pair with the fewest hops is
 * chosen, of several the smallest, so that both directions use the same two ports. Immutable.
 *
 * @param entry where packets come in
 * @param exit where they go out
 */
public record HostRoute(NodePortTuple entry, NodePortTuple exit) {

  static Optional<HostRoute> of(TopologySnapshot network, NodePortTuple from, NodePortTuple to) {
    ImmutableSortedSet<NodePortTuple> sources = portsOf(network, from);
    ImmutableSortedSet<NodePortTuple> targets = portsOf(network, to);
    // computed for one order of the two ends, for both directions
    return sources.first().compareTo(targets.first()) <= 0
        ? nearest(network, sources, targets)
        : nearest(network, targets, sources).map(HostRoute::reversed);
  }

  private static ImmutableSortedSet<NodePortTuple> portsOf(
      TopologySnapshot network, NodePortTuple host) {
    return network
        .sharedSegment(host)
        .map(Segment::ports)
        .orElseGet(() -> ImmutableSortedSet.of(host));
  }

  private static Optional<HostRoute> nearest(
      TopologySnapshot network,
      ImmutableSortedSet<NodePortTuple> sources,
      ImmutableSortedSet<NodePortTuple> targets) {
    Optional<HostRoute> best = Optional.empty();
    int fewest = Integer.MAX_VALUE;
    for (NodePortTuple source : sources) {
      for (NodePortTuple target : targets) {
        Optional<Path> path = network.path(source.getNodeId(), target.getNodeId());
        if (path.isPresent() && path.get().links().size() < fewest) {
          fewest = path.get().links().size();
          best = Optional.of(new HostRoute(source, target));
        }
      }
    }
    return best;
  }

  private HostRoute reversed() {
    return new HostRoute(exit, entry);
  }

  /** Whether packets of this route come in at that port, at its start or along it. */
  public boolean comesInAt(NodePortTuple port, TopologySnapshot network) {
    return port.equals(entry)
        || network
            .path(entry.getNodeId(), exit.getNodeId())
            .filter(
                path ->
                    path.links().stream()
                        .anyMatch(
                            link ->
                                link.dst().equals(port.getNodeId())
                                    && link.dstPort().equals(port.getPortId())))
            .isPresent();
  }
}
