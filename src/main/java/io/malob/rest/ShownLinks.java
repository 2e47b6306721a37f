package io.malob.rest;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.LinkStats;
import io.malob.monitor.IMonitorService;
import io.malob.state.network.LinkMeasurements;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

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

  /** All links, each direction for itself. */
  List<Object> all() {
    return known.keySet().stream().map(this::of).collect(Collectors.toList());
  }

  /** The links of a path, in order. */
  List<Object> of(Path path) {
    return path.links().stream().map(this::of).collect(Collectors.toList());
  }

  private Object of(DirectedLink link) {
    LinkMeasurements values = known.getOrDefault(link, LinkMeasurements.UNKNOWN);
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("src", end(link.src(), link.srcPort()));
    line.put("dst", end(link.dst(), link.dstPort()));
    line.put("active", active.getOrDefault(link, 0));
    line.put("latency_ms", show.ofLatency(values.latencyNanos()));
    line.put("throughput_mbps", show.of(values.throughputBps(), MEGA));
    line.put("use_mbps", show.of(values.useBps(), MEGA));
    line.put(
        "capacity_mbps",
        monitor.capacity(link).map(capacity -> Measured.of(capacity, MEGA)).orElse(null));
    return line;
  }

  private static Map<String, Object> end(DatapathId switchId, OFPort port) {
    Map<String, Object> end = new LinkedHashMap<>();
    end.put("switch", switchId.toString());
    end.put("port", port.getPortNumber());
    return end;
  }
}
