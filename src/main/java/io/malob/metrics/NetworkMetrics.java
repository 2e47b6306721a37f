package io.malob.metrics;

import io.malob.agent.IAgentService;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.LinkStats;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.capability.TableUse;
import io.malob.latency.ILatencyService;
import io.malob.latency.LatencyCounters;
import io.malob.latency.LatencyCounters.ProbeCount;
import io.malob.module.INetworkRefusalService;
import io.malob.monitor.IMonitorService;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.Measurement;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/** The metrics of switches and links, and of probes and reports. */
record NetworkMetrics(
    IBalancerService balancer,
    IMonitorService monitor,
    ILatencyService latency,
    IAgentService agents,
    INetworkRefusalService refusals,
    ISwitchCapabilityService capabilities) {
  private static final double NANOS_PER_SECOND = 1e9;

  void addTo(Samples samples) {
    addSwitches(samples);
    addLinks(samples);
    addProbes(samples, latency.counters());
    samples.addAll(Metric.NETWORK_REFUSALS, refusals.byLabel());
    samples.add(Metric.REPORTS_ACCEPTED, agents.counts().accepted());
    samples.addAll(Metric.REPORT_DROPS, agents.counts().dropped());
  }

  private void addSwitches(Samples samples) {
    samples.add(Metric.SWITCHES, monitor.topology().switches().size());
    capabilities
        .tables()
        .forEach((id, tables) -> tables.forEach((table, use) -> add(samples, id, table, use)));
    latency
        .controlRoundTrips()
        .forEach(
            (id, trip) ->
                trip.nanos()
                    .ifPresent(
                        nanos ->
                            samples.add(
                                Metric.CONTROL_ROUND_TRIP_SECONDS, nanos / NANOS_PER_SECOND, id)));
    monitor
        .portStatistics()
        .forEach(
            (id, stats) -> {
              samples.add(Metric.PORT_STATISTICS, stats.answers(), id, "answered");
              samples.add(Metric.PORT_STATISTICS, stats.failures(), id, "failed");
              samples.add(Metric.PORT_STATISTICS, stats.skipped(), id, "skipped");
            });
  }

  private static void add(Samples samples, DatapathId switchId, int table, TableUse use) {
    samples.add(Metric.SWITCH_RULES, use.rules(), switchId, table);
    use.maxRules().ifPresent(max -> samples.add(Metric.SWITCH_MAX_RULES, max, switchId, table));
  }

  private void addLinks(Samples samples) {
    Map<DirectedLink, Integer> active =
        balancer.links().stream().collect(Collectors.toMap(LinkStats::link, LinkStats::active));
    Map<DirectedLink, LinkMeasurements> known = monitor.links().snapshot(monitor.nanoTime());
    known.forEach(
        (link, measured) -> {
          add(
              samples,
              Metric.LINK_LATENCY_SECONDS,
              link,
              measured.latencyNanos(),
              NANOS_PER_SECOND);
          add(samples, Metric.LINK_USE_BITS_PER_SECOND, link, measured.useBps(), 1);
          add(samples, Metric.LINK_FREE_BITS_PER_SECOND, link, measured.throughputBps(), 1);
          monitor
              .capacity(link)
              .ifPresent(
                  capacity ->
                      add(
                          samples,
                          Metric.LINK_CAPACITY_BITS_PER_SECOND,
                          link,
                          capacity.bitsPerSecond()));
          add(samples, Metric.LINK_CONNECTIONS, link, active.getOrDefault(link, 0));
        });
  }

  private static void add(
      Samples samples,
      Metric metric,
      DirectedLink link,
      @Nullable Measurement measured,
      double divisor) {
    if (measured != null) {
      add(samples, metric, link, measured.value() / divisor);
    }
  }

  private static void add(Samples samples, Metric metric, DirectedLink link, double value) {
    samples.add(
        metric,
        value,
        link.src(),
        link.srcPort().getPortNumber(),
        link.dst(),
        link.dstPort().getPortNumber());
  }

  private static void addProbes(Samples samples, LatencyCounters counters) {
    addProbes(samples, counters.links(), "link");
    addProbes(samples, counters.control(), "control");
    samples.addAll(Metric.PROBE_DISCARDS, counters.discarded());
  }

  private static void addProbes(Samples samples, ProbeCount count, String kind) {
    samples.add(Metric.PROBES, count.answered(), kind, "answered");
    samples.add(Metric.PROBES, count.lost(), kind, "lost");
    samples.add(Metric.PROBES, count.unsent(), kind, "unsent");
  }
}
