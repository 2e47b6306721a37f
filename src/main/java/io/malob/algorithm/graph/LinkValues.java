package io.malob.algorithm.graph;

import java.util.Arrays;
import java.util.Map;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * What is known of the links of one topology. Immutable.
 *
 * <p>A link of which nothing is known counts as the worst that is known: as slow as the slowest, as
 * narrow as the narrowest. So it never wins by accident, and where nothing is known of any link all
 * are alike, and the number of links decides.
 */
public final class LinkValues {
  private final Topology topology;

  /** By the links' place in the topology. */
  private final long[] latencies;

  private final double[] throughputs;

  private LinkValues(Topology topology, long[] latencies, double[] throughputs) {
    this.topology = topology;
    this.latencies = latencies;
    this.throughputs = throughputs;
  }

  /** Nothing is known of any link. */
  public static LinkValues unknown(Topology topology) {
    return of(topology, Map.of());
  }

  /** What is known of links; one that is missing in the map is unknown. */
  public static LinkValues of(Topology topology, Map<DirectedLink, LinkValue> known) {
    LinkValue[] values =
        topology.links().stream()
            .map(link -> known.getOrDefault(link, LinkValue.UNKNOWN))
            .toArray(LinkValue[]::new);
    long slowest =
        Arrays.stream(values).mapToLong(value -> value.latencyNanos().orElse(0)).max().orElse(0);
    double narrowest =
        Arrays.stream(values)
            .mapToDouble(value -> value.throughputBps().orElse(Double.POSITIVE_INFINITY))
            .min()
            .orElse(Double.POSITIVE_INFINITY);
    return new LinkValues(
        topology,
        Arrays.stream(values).mapToLong(value -> value.latencyNanos().orElse(slowest)).toArray(),
        Arrays.stream(values)
            .mapToDouble(value -> value.throughputBps().orElse(narrowest))
            .toArray());
  }

  /** The paths with the fewest links; of these, those with the lowest latency. */
  public PathTree fewestHops(DatapathId source) {
    return PathTree.cheapest(topology, source, LinkCosts.hopsThenLatency(latencies));
  }

  /** The paths with the lowest latency; of these, those with the fewest links. */
  public PathTree lowestLatency(DatapathId source) {
    return PathTree.cheapest(topology, source, LinkCosts.latencyThenHops(latencies));
  }

  /** The paths with the widest bottleneck; of these, those with the lowest latency. */
  public WidestPaths widest(DatapathId source) {
    return new WidestPaths(topology, source, latencies, throughputs);
  }

  /** The sum of the latencies of a path's links, in nanoseconds. */
  public long latencyNanos(Path path) {
    long sum = 0;
    for (DirectedLink link : path.links()) {
      sum += latencies[topology.adjacency().number(link)];
    }
    return sum;
  }

  /** The throughput of a path's narrowest link, in bit/s; infinite within one switch. */
  public double bottleneckBps(Path path) {
    double narrowest = Double.POSITIVE_INFINITY;
    for (DirectedLink link : path.links()) {
      narrowest = Math.min(narrowest, throughputs[topology.adjacency().number(link)]);
    }
    return narrowest;
  }
}
