package io.malob.rest;

import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.MemberStats;
import io.malob.monitor.IMonitorService;
import io.malob.monitor.PollingStats;
import io.malob.state.catalog.Member;
import io.malob.state.network.Measurement;
import io.malob.state.network.ServerMeasurements;
import io.malob.state.network.TimesToLive;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Shows the known values of links, servers and switches: each with its age and source, and null for
 * unknown values. Safe for use by several threads.
 */
final class MonitoredState {
  private static final double NANOS_PER_SECOND = 1e9;

  private static final MemberStats NOTHING_YET = MemberStats.unknown(false);

  private final IBalancerService balancer;
  private final IMonitorService monitor;
  private final Clock clock;

  MonitoredState(IBalancerService balancer, IMonitorService monitor, Clock clock) {
    this.balancer = balancer;
    this.monitor = monitor;
    this.clock = clock;
  }

  /** All of it. */
  Map<String, Object> snapshot() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("time", clock.instant().truncatedTo(ChronoUnit.MILLIS).toString());
    all.put("switches", switches());
    all.put("links", links());
    all.put("servers", servers());
    all.put("times_to_live_s", timesToLive(monitor.timesToLive()));
    return all;
  }

  /** The links between switches, each direction for itself. */
  List<Object> links() {
    return new ShownLinks(balancer, monitor).all();
  }

  /** The members of all pools, with what their agents have reported. */
  List<Object> servers() {
    long nowNanos = monitor.nanoTime();
    Map<String, MemberStats> stats = balancer.memberStats();
    return balancer.catalog().snapshot().members().values().stream()
        .map(
            member ->
                server(
                    member,
                    stats.getOrDefault(member.id(), NOTHING_YET),
                    monitor.servers().get(member.address(), nowNanos),
                    new Measured(nowNanos)))
        .collect(Collectors.toList());
  }

  private static Object server(
      Member member, MemberStats stats, ServerMeasurements known, Measured show) {
    @Nullable Measurement reported =
        member.port() == null ? null : known.connections().get(member.port());
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("id", member.id());
    line.put("address", member.address().toString());
    line.put("port", member.port());
    line.put("pool_id", member.poolId());
    line.put("located", stats.located());
    line.put("active_connections", stats.activeConnections());
    line.put("reported_connections", show.of(reported, 1));
    line.put("foreign_connections", stats.foreignConnections());
    show.put(line, known);
    return line;
  }

  /** The switches that this controller is master of, and the state of their port statistics. */
  List<Object> switches() {
    long nowNanos = monitor.nanoTime();
    Map<DatapathId, PollingStats> asked = monitor.portStatistics();
    return monitor.topology().switches().stream()
        .map(switchId -> ofSwitch(switchId, asked.get(switchId), new Measured(nowNanos)))
        .collect(Collectors.toList());
  }

  private static Object ofSwitch(DatapathId switchId, @Nullable PollingStats stats, Measured show) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("switch", switchId.toString());
    Map<String, @Nullable Object> statistics = new LinkedHashMap<>();
    @Nullable Long answered = stats == null ? null : stats.answeredNanos();
    statistics.put("age_s", answered == null ? null : show.ageSeconds(answered));
    statistics.put("answers", stats == null ? 0 : stats.answers());
    statistics.put("failures", stats == null ? 0 : stats.failures());
    statistics.put("skipped", stats == null ? 0 : stats.skipped());
    line.put("port_statistics", statistics);
    return line;
  }

  private static Map<String, Object> timesToLive(TimesToLive times) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("latency", times.latencyNanos() / NANOS_PER_SECOND);
    shown.put("agent_throughput", times.agentThroughputNanos() / NANOS_PER_SECOND);
    shown.put("port_statistics", times.portStatisticsNanos() / NANOS_PER_SECOND);
    shown.put("server", times.serverNanos() / NANOS_PER_SECOND);
    return shown;
  }
}
