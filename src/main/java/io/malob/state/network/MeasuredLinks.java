package io.malob.state.network;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.state.network.Measurement.Source;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of links, separately for each direction. Only links of the current topology are
 * kept. Older data never replaces newer. Thread-safe: each change is one atomic step for one link,
 * so that latency, port statistics and reports need not wait for each other.
 */
public final class MeasuredLinks {
  /** The max number of links of other controllers. */
  private static final int MAX_OF_PEERS = 100_000;

  private final TimesToLive times;
  private final Map<DirectedLink, LinkMeasurements> links = new ConcurrentHashMap<>();

  /** What other controllers have measured. */
  private final Map<DirectedLink, LinkMeasurements> ofPeers = new ConcurrentHashMap<>();

  /** The links of the topology, sorted. */
  private volatile ImmutableList<DirectedLink> order = ImmutableList.of();

  /** A tracker without links. */
  public MeasuredLinks(TimesToLive times) {
    this.times = times;
  }

  /** Sets the links of a topology: removed ones are dropped, new ones unknown. */
  public void setTopology(Topology topology) {
    links.keySet().retainAll(ImmutableSet.copyOf(topology.links()));
    topology.links().forEach(link -> links.putIfAbsent(link, LinkMeasurements.UNKNOWN));
    order = topology.links();
  }

  /** A new estimate of the one-way latency. */
  public void latency(DirectedLink link, long latencyNanos, long atNanos) {
    Measurement measured = new Measurement((double) latencyNanos, atNanos, Source.PROBE);
    update(link, new LinkMeasurements(measured, null, null, null));
  }

  /** An agent has measured the available TCP throughput. */
  public void agentThroughput(DirectedLink link, double bitsPerSecond, long atNanos) {
    Measurement measured = new Measurement(bitsPerSecond, atNanos, Source.AGENT);
    update(link, new LinkMeasurements(null, measured, null, null));
  }

  /** Port statistics: the traffic on the link. */
  public void use(DirectedLink link, double useBps, long atNanos) {
    Measurement use = new Measurement(useBps, atNanos, Source.PORT_STATISTICS);
    update(link, new LinkMeasurements(null, null, null, use));
  }

  /** Port statistics: the traffic on the link, and therefore its free capacity. */
  public void use(DirectedLink link, double useBps, double capacityBps, long atNanos) {
    Measurement use = new Measurement(useBps, atNanos, Source.PORT_STATISTICS);
    Measurement unused =
        new Measurement(Math.max(0, capacityBps - useBps), atNanos, Source.PORT_STATISTICS);
    update(link, new LinkMeasurements(null, null, unused, use));
  }

  private void update(DirectedLink link, LinkMeasurements measured) {
    links.computeIfPresent(link, (same, before) -> before.updated(measured));
  }

  /**
   * Another controller has measured a link, which may be outside of this one's topology. Its values
   * count where this controller has none that are fresh.
   */
  public void learn(DirectedLink link, LinkMeasurements measured) {
    if (ofPeers.size() < MAX_OF_PEERS || ofPeers.containsKey(link)) {
      ofPeers.merge(link, measured, LinkMeasurements::updated);
    }
  }

  /** Forgets expired values of other controllers. */
  public void forgetTold(long nowNanos) {
    ofPeers
        .values()
        .removeIf(values -> values.fresh(nowNanos, times).equals(LinkMeasurements.UNKNOWN));
  }

  /** This controller's own measurements that have not expired. */
  public ImmutableMap<DirectedLink, LinkMeasurements> own(long nowNanos) {
    return own(values -> values.fresh(nowNanos, times));
  }

  /** The same, without what was measured before a time. */
  public ImmutableMap<DirectedLink, LinkMeasurements> ownSince(long sinceNanos, long nowNanos) {
    return own(values -> values.fresh(nowNanos, times).since(sinceNanos));
  }

  private ImmutableMap<DirectedLink, LinkMeasurements> own(
      UnaryOperator<LinkMeasurements> selected) {
    ImmutableMap.Builder<DirectedLink, LinkMeasurements> all = ImmutableMap.builder();
    links.forEach(
        (link, measured) -> {
          LinkMeasurements values = selected.apply(measured);
          if (!values.equals(LinkMeasurements.UNKNOWN)) {
            all.put(link, values);
          }
        });
    return all.build();
  }

  /** The links of {@link #snapshot}, then those that only other controllers have measured. */
  public ImmutableMap<DirectedLink, LinkMeasurements> snapshotOfAll(long nowNanos) {
    ImmutableMap<DirectedLink, LinkMeasurements> ours = snapshot(nowNanos);
    ImmutableMap.Builder<DirectedLink, LinkMeasurements> all = ImmutableMap.builder();
    all.putAll(ours);
    ofPeers.keySet().stream()
        .filter(link -> !ours.containsKey(link))
        .sorted()
        .forEach(
            link -> {
              @Nullable LinkMeasurements values = ofPeers.get(link);
              if (values != null) {
                all.put(link, values.fresh(nowNanos, times));
              }
            });
    return all.build();
  }

  /** All links of the topology with their measurements that have not expired. */
  public ImmutableMap<DirectedLink, LinkMeasurements> snapshot(long nowNanos) {
    ImmutableList<DirectedLink> sorted = order;
    ImmutableMap.Builder<DirectedLink, LinkMeasurements> all =
        ImmutableMap.builderWithExpectedSize(sorted.size());
    for (DirectedLink link : sorted) {
      @Nullable LinkMeasurements measured = links.get(link);
      if (measured != null) {
        all.put(link, withTold(link, measured.fresh(nowNanos, times), nowNanos));
      }
    }
    return all.build();
  }

  private LinkMeasurements withTold(DirectedLink link, LinkMeasurements own, long nowNanos) {
    @Nullable LinkMeasurements others = ofPeers.get(link);
    return others == null ? own : own.orElse(others.fresh(nowNanos, times));
  }
}
