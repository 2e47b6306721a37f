package io.malob.balancer.view;

import io.malob.algorithm.Counting;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValue;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Topology;
import io.malob.monitor.IMonitorService;
import io.malob.state.network.LinkCapacity;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.Measurement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Provides the measurements of links in the form that algorithms use. To be called by one thread at
 * a time, because it also reports new measurements to the connection counts of links.
 */
public final class NetworkValues {
  private final IMonitorService monitor;
  private final LinkLoads loads;
  private final Counting counting;

  /** The time of each link's latest throughput measurement. */
  private final Map<DirectedLink, Long> measuredAt = new HashMap<>();

  public NetworkValues(IMonitorService monitor, LinkLoads loads, Counting counting) {
    this.monitor = monitor;
    this.loads = loads;
    this.counting = counting;
  }

  /** The current measurements of a topology's links, without those that are too old. */
  public LinkValues of(Topology topology) {
    Map<DirectedLink, LinkMeasurements> measured =
        monitor.links().snapshotOfAll(monitor.nanoTime());
    Map<DirectedLink, LinkValue> known = new HashMap<>();
    for (DirectedLink link : topology.links()) {
      LinkMeasurements values = measured.getOrDefault(link, LinkMeasurements.UNKNOWN);
      known.put(link, value(link, values));
      noteMeasurement(link, values.throughputBps());
    }
    measuredAt.keySet().retainAll(known.keySet());
    return LinkValues.of(topology, known, loads, counting);
  }

  private void noteMeasurement(DirectedLink link, @Nullable Measurement throughput) {
    if (throughput != null) {
      @Nullable Long before = measuredAt.put(link, throughput.atNanos());
      if (before == null || before != throughput.atNanos()) {
        loads.of(link).measured();
      }
    }
  }

  private LinkValue value(DirectedLink link, LinkMeasurements values) {
    Optional<LinkCapacity> capacity = monitor.capacity(link);
    @Nullable Measurement throughput = values.throughputBps();
    boolean byAgent = values.agentThroughputBps() != null;
    // an agent's measurement of the link takes precedence over the speed of the port
    OptionalDouble whole =
        capacity
            .filter(known -> !byAgent || known.source() == LinkCapacity.Source.CONFIGURED)
            .map(known -> OptionalDouble.of(known.bitsPerSecond()))
            .orElse(OptionalDouble.empty());
    return new LinkValue(
        values.latencyNanos() == null
            ? OptionalLong.empty()
            : OptionalLong.of(
                Math.max(
                    LinkMeasurements.LATENCY_RESOLUTION_NANOS,
                    (long) values.latencyNanos().value())),
        throughput == null ? whole : OptionalDouble.of(throughput.value()),
        whole);
  }
}
