package io.malob.rest;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.LinkStats;
import io.malob.monitor.IMonitorService;
import io.malob.rest.live.LinkEnds;
import io.malob.state.network.LinkMeasurements;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Shows the values of links at one moment: each with its age and source, and null for unknown
 * values.
 */
final class ShownLinks {
  private static final double MEGA = 1e6;

  private final IMonitorService monitor;
  private final Map<DirectedLink, LinkMeasurements> known;
  private final Map<DirectedLink, Integer> active;
  private final Measured show;

  /** The current values. */
  ShownLinks(IBalancerService balancer, IMonitorService monitor) {
    long nowNanos = monitor.nanoTime();
    this.monitor = monitor;
    this.known = monitor.links().snapshotOfAll(nowNanos);
    this.active =
        balancer.links().stream().collect(Collectors.toMap(LinkStats::link, LinkStats::active));
    this.show = new Measured(nowNanos);
  }

  /** A link with its values. */
  record Line(
      @JsonUnwrapped LinkEnds ends,
      int active,
      Measured.@Nullable Value latencyMs,
      Measured.@Nullable Value throughputMbps,
      Measured.@Nullable Value useMbps,
      Optional<Measured.Value> capacityMbps) {}

  /** All links, each direction for itself. */
  List<Line> all() {
    return known.keySet().stream().map(this::of).toList();
  }

  /** The links of a path, in order. */
  List<Line> of(Path path) {
    return path.links().stream().map(this::of).toList();
  }

  private Line of(DirectedLink link) {
    LinkMeasurements values = known.getOrDefault(link, LinkMeasurements.UNKNOWN);
    return new Line(
        LinkEnds.of(link),
        active.getOrDefault(link, 0),
        show.ofLatency(values.latencyNanos()),
        show.of(values.throughputBps(), MEGA),
        show.of(values.useBps(), MEGA),
        monitor.capacity(link).map(capacity -> Measured.of(capacity, MEGA)));
  }
}
