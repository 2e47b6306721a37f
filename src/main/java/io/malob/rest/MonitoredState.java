package io.malob.rest;

import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.MemberStats;
import io.malob.json.Json;
import io.malob.monitor.IMonitorService;
import io.malob.monitor.PollingStats;
import io.malob.state.catalog.Member;
import io.malob.state.network.Measurement;
import io.malob.state.network.ServerMeasurements;
import io.malob.state.network.TimesToLive;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Shows the known values of links, servers and switches: each with its age and source, and null for
 * unknown values. Safe for use by several threads.
 */
record MonitoredState(IBalancerService balancer, IMonitorService monitor, Clock clock) {
  private static final double NANOS_PER_SECOND = 1e9;

  private static final MemberStats NOTHING_YET = MemberStats.unknown(false);

  /** All of it. */
  Map<String, Object> snapshot() {
    return Json.fields(
        "time", clock.instant().truncatedTo(ChronoUnit.MILLIS).toString(),
        "switches", switches(),
        "links", links(),
        "servers", servers(),
        "times_to_live_s", timesToLive(monitor.timesToLive()));
  }

  /** The links between switches, each direction for itself. */
  List<?> links() {
    return new ShownLinks(balancer, monitor).all();
  }

  /** The members of all pools, with what their agents have reported. */
  List<?> servers() {
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
        .toList();
  }

  private static Object server(
      Member member, MemberStats stats, ServerMeasurements known, Measured show) {
    @Nullable Measurement reported =
        member.port() == null ? null : known.connections().get(member.port());
    Map<String, @Nullable Object> line =
        Json.fields(
            "id", member.id(),
            "address", member.address().toString(),
            "port", member.port(),
            "pool_id", member.poolId(),
            "located", stats.located(),
            "active_connections", stats.activeConnections(),
            "reported_connections", show.of(reported, 1),
            "foreign_connections", stats.foreignConnections());
    line.putAll(show.of(known));
    return line;
  }

  /** The switches that this controller is master of, and the state of their port statistics. */
  List<?> switches() {
    long nowNanos = monitor.nanoTime();
    Map<DatapathId, PollingStats> asked = monitor.portStatistics();
    return monitor.topology().switches().stream()
        .map(switchId -> ofSwitch(switchId, asked.get(switchId), new Measured(nowNanos)))
        .toList();
  }

  private static Object ofSwitch(DatapathId switchId, @Nullable PollingStats stats, Measured show) {
    PollingStats counts = stats == null ? PollingStats.NONE : stats;
    @Nullable Long answered = counts.answeredNanos();
    Map<String, @Nullable Object> statistics =
        Json.fields(
            "age_s", answered == null ? null : show.ageSeconds(answered),
            "answers", counts.answers(),
            "failures", counts.failures(),
            "skipped", counts.skipped());
    return Json.fields("switch", switchId, "port_statistics", statistics);
  }

  private static Map<String, Object> timesToLive(TimesToLive times) {
    return Json.fields(
        "latency", times.latencyNanos() / NANOS_PER_SECOND,
        "agent_throughput", times.agentThroughputNanos() / NANOS_PER_SECOND,
        "port_statistics", times.portStatisticsNanos() / NANOS_PER_SECOND,
        "server", times.serverNanos() / NANOS_PER_SECOND);
  }
}
