package io.malob.state.network;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.state.network.Measurement.Source;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of links, separately for each direction. Only links of the current topology are
 * kept. Older data never replaces newer. Thread-safe: each change is one atomic step for one link,
 * so that latency, port statistics and reports need not wait for each other.
 */
public final class LinkTracker {
  private final TimesToLive times;
  private final Map<DirectedLink, LinkMeasurements> links = new ConcurrentHashMap<>();

  /** The links of the topology, sorted. */
  private volatile ImmutableList<DirectedLink> order = ImmutableList.of();

  /** A tracker without links. */
  public LinkTracker(TimesToLive times) {
    this.times = times;
  }

  /** Sets the links of a topology: removed ones are dropped, new ones unknown. */
  public void setTopology(Topology topology) {
    ImmutableMap.Builder<DirectedLink, LinkMeasurements> now = ImmutableMap.builder();
    topology.links().forEach(link -> now.put(link, LinkMeasurements.UNKNOWN));
    Map<DirectedLink, LinkMeasurements> wanted = now.build();
    links.keySet().retainAll(wanted.keySet());
    wanted.forEach(links::putIfAbsent);
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

  /** All links of the topology with their measurements that have not expired. */
  public ImmutableMap<DirectedLink, LinkMeasurements> snapshot(long nowNanos) {
    ImmutableList<DirectedLink> sorted = order;
    ImmutableMap.Builder<DirectedLink, LinkMeasurements> all =
        ImmutableMap.builderWithExpectedSize(sorted.size());
    for (DirectedLink link : sorted) {
      @Nullable LinkMeasurements measured = links.get(link);
      if (measured != null) {
        all.put(link, measured.fresh(nowNanos, times));
      }
    }
    return all.build();
  }
}
