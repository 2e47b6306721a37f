package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import io.malob.algorithm.estimate.ActiveCount;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The known values of the links of one topology, and their active connections. Measured values
 * never change here; counts of connections do. Thread-safe.
 *
 * <p>A link with unknown values counts as the worst known one: as slow as the slowest, as narrow as
 * the narrowest. So it never wins by accident. If no link has known values, all are equal, and the
 * number of links decides.
 */
public final class LinkValues {
  private final Topology topology;
  private final Counting counting;

  /** By the links' place in the topology. */
  private final long[] latencies;

  private final double[] throughputs;

  /** 0 if unknown. */
  private final double[] capacities;

  private final ActiveCount[] loads;

  private LinkValues(LinkValues like, ActiveCount[] loads) {
    this.topology = like.topology;
    this.counting = like.counting;
    this.latencies = like.latencies;
    this.throughputs = like.throughputs;
    this.capacities = like.capacities;
    this.loads = loads;
  }

  private LinkValues(
      Topology topology, Map<DirectedLink, LinkValue> known, LinkLoads loads, Counting counting) {
    LinkValue[] values =
        topology.links().stream()
            .map(link -> known.getOrDefault(link, LinkValue.UNKNOWN))
            .toArray(LinkValue[]::new);
    this.topology = topology;
    this.counting = counting;
    long slowest =
        Arrays.stream(values).mapToLong(value -> value.latencyNanos().orElse(0)).max().orElse(0);
    double narrowest =
        Arrays.stream(values)
            .mapToDouble(value -> value.throughputBps().orElse(Double.POSITIVE_INFINITY))
            .min()
            .orElse(Double.POSITIVE_INFINITY);
    this.latencies =
        Arrays.stream(values).mapToLong(value -> value.latencyNanos().orElse(slowest)).toArray();
    topology.adjacency().detours().lower(latencies);
    this.throughputs =
        Arrays.stream(values)
            .mapToDouble(value -> value.throughputBps().orElse(narrowest))
            .toArray();
    this.capacities =
        Arrays.stream(values).mapToDouble(value -> value.capacityBps().orElse(0)).toArray();
    this.loads = topology.links().stream().map(loads::of).toArray(ActiveCount[]::new);
  }

  /** No link has known values. */
  public static LinkValues unknown(Topology topology) {
    return of(topology, Map.of(), new LinkLoads(), Counting.PLACED_SINCE);
  }

  /**
   * Values of links.
   *
   * @param known the known values by link; a missing link is unknown
   * @param loads the connections on them
   */
  public static LinkValues of(
      Topology topology, Map<DirectedLink, LinkValue> known, LinkLoads loads, Counting counting) {
    return new LinkValues(topology, known, loads, counting);
  }

  /** The same values with copies of the counts of connections, for a trial. */
  public LinkValues trial() {
    return new LinkValues(
        this, Arrays.stream(loads).map(load -> load.without(0, 0)).toArray(ActiveCount[]::new));
  }

  /** Counts connections of a trial on all links of a path. */
  public void add(Path path, int connections) {
    for (int i = 0; i < path.hops(); i++) {
      loads[topology.adjacency().number(path.links().get(i))].add(connections);
    }
  }

  /** The switches and links. */
  public Topology topology() {
    return topology;
  }

  /** Whether connections placed since measurements count. */
  public Counting counting() {
    return counting;
  }

  /** Searches with these values, and with the loads as they are soon after this call. */
  public PathSearches searches() {
    return new PathSearches(this);
  }

  LinkCosts hopsThenLatency() {
    return LinkCosts.hopsThenLatency(latencies);
  }

  LinkCosts latencyThenHops() {
    return LinkCosts.latencyThenHops(latencies);
  }

  /** Up to k paths without loops with the lowest latency, the best first. */
  public ImmutableList<Path> shortest(DatapathId src, DatapathId dst, int k) {
    return shortestTo(dst).from(src, k);
  }

  KShortestPaths shortestTo(DatapathId dst) {
    return new KShortestPaths(topology, latencies, dst);
  }

  /**
   * Whether other values are the same, of the same links and with the same counts of connections.
   */
  public boolean isSameAs(LinkValues other) {
    return topology.equals(other.topology)
        && counting == other.counting
        && Arrays.equals(latencies, other.latencies)
        && Arrays.equals(throughputs, other.throughputs)
        && Arrays.equals(capacities, other.capacities)
        && Arrays.equals(loads, other.loads);
  }

  /** Whether latencies are those of other values of the same topology, but for noise. */
  public boolean hasLatenciesLike(LinkValues before) {
    LinkCosts now = latencyThenHops();
    LinkCosts then = before.latencyThenHops();
    return IntStream.range(0, latencies.length).allMatch(link -> now.isLike(then, link));
  }

  /** The share of a new connection on each link, by the links' place in the topology. */
  double[] shares() {
    double[] shares = new double[throughputs.length];
    for (int link = 0; link < shares.length; link++) {
      shares[link] = share(link);
    }
    topology.adjacency().detours().raise(shares);
    return shares;
  }

  /** The sum of the latencies of a path's links, in nanoseconds. */
  public long latencyNanos(Path path) {
    long sum = 0;
    for (int i = 0; i < path.hops(); i++) {
      sum += latencies[topology.adjacency().number(path.links().get(i))];
    }
    return sum;
  }

  /**
   * The share of a new connection on a path, in bit/s, at the current loads; infinite within a
   * switch.
   */
  public double shareBps(Path path) {
    double narrowest = Double.POSITIVE_INFINITY;
    for (int i = 0; i < path.hops(); i++) {
      narrowest = Math.min(narrowest, share(topology.adjacency().number(path.links().get(i))));
    }
    return narrowest;
  }

  /**
   * A new connection shares the free capacity of a link equally with the connections placed since
   * the measurement. On a full link, it still gets its part of the whole capacity, because TCP
   * shares it (max-min fairness): of two full links, the link with fewer connections is wider.
   */
  private double share(int link) {
    if (counting == Counting.MEASURED_ONLY) {
      return throughputs[link];
    }
    ActiveCount load = loads[link];
    double ofTheRest = throughputs[link] / (1 + Math.max(0, load.sinceMeasured()));
    double ofTheWhole = capacities[link] / (1 + Math.max(0, load.now()));
    return Math.max(ofTheRest, ofTheWhole);
  }
}
