package io.malob.rest;

import io.malob.agent.IAgentService;
import io.malob.balancer.AuditStats;
import io.malob.balancer.BalancerCounters;
import io.malob.balancer.IBalancerService;
import io.malob.balancer.MoveStats;
import io.malob.balancer.PathStats;
import io.malob.endhost.IEndhostService;
import io.malob.latency.ILatencyService;
import io.malob.monitor.IMonitorService;
import io.malob.mptcp.IMptcpService;
import java.io.IOException;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Shows what the balancer does and what it sees of the network: the paths that it uses, what it
 * refused, how full it is, what audits found; links and servers.
 */
final class StateResources implements Resources {
  private static final String HERE =
      "explain, connections, capacities, paths, profiles, moves, links, servers, snapshot, latency, reports,"
          + " refusals, counters, audits, mptcp, endhost";

  private final IBalancerService balancer;
  private final MonitoredState monitored;
  private final ExplanationResources explanations;
  private final ConnectionResources connections;
  private final CapacityResources capacities;
  private final ReportResources reports;
  private final ILatencyService latency;
  private final MptcpResources mptcp;
  private final EndhostResources endhost;

  StateResources(
      IBalancerService balancer,
      IMonitorService monitor,
      IAgentService agents,
      ILatencyService latency,
      IMptcpService mptcp,
      IEndhostService endhost) {
    this.mptcp = new MptcpResources(mptcp);
    this.endhost = new EndhostResources(endhost);
    this.balancer = balancer;
    this.monitored = new MonitoredState(balancer, monitor, Clock.systemUTC());
    this.explanations = new ExplanationResources(balancer, monitor);
    this.connections = new ConnectionResources(balancer);
    this.capacities = new CapacityResources(monitor.capacities());
    this.reports = new ReportResources(agents);
    this.latency = latency;
  }

  @Override
  public Reply answer(String method, List<String> path, String query, RequestBody body)
      throws IOException, RefusedException {
    if (path.equals(List.of("reports"))) {
      return reports.answer(method, body);
    }
    if (!path.isEmpty() && path.get(0).equals("capacities")) {
      return capacities.answer(method, path.subList(1, path.size()), body);
    }
    if (!path.isEmpty() && path.get(0).equals("mptcp")) {
      return mptcp.answer(method, path.subList(1, path.size()), body);
    }
    if (!path.isEmpty() && path.get(0).equals("endhost")) {
      return endhost.answer(method, path.subList(1, path.size()), query, body);
    }
    Object answer =
        switch (String.join("/", path)) {
          case "explain" -> explanations.explain(query);
          case "connections" -> connections.list(query);
          case "paths" -> paths();
          case "profiles" -> LearntServices.shown(balancer.profiles());
          case "moves" -> moves(balancer.moves());
          case "links" -> monitored.links();
          case "servers" -> monitored.servers();
          case "latency" -> LatencyProbing.shown(latency);
          case "snapshot" -> monitored.snapshot();
          case "refusals" -> balancer.refusals();
          case "counters" -> counters();
          case "audits" -> audits(balancer.audits());
          default ->
              throw new RefusedException(
                  404,
                  "there is nothing at /" + String.join("/", path) + " here, only " + HERE,
                  null);
        };
    if (!method.equals("GET")) {
      throw RefusedException.method(method, "GET");
    }
    return Reply.ok(answer);
  }

  private Map<String, Object> counters() {
    BalancerCounters counters = balancer.counters();
    Map<String, Map<String, Long>> refusedRules = new LinkedHashMap<>();
    counters.refusedRules().forEach((id, byReason) -> refusedRules.put(id.toString(), byReason));
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("open_connections", counters.openConnections());
    answer.put("dormant_connections", counters.dormantConnections());
    answer.put("unsent_batches", counters.unsentBatches());
    answer.put("refused_rules", refusedRules);
    return answer;
  }

  private static Object audits(AuditStats stats) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("tables_read", stats.tablesRead());
    shown.put("tables_reset", stats.tablesReset());
    shown.put("connections_adopted", stats.connectionsAdopted());
    shown.put("connections_pending", stats.connectionsPending());
    shown.put("connections_slept", stats.connectionsSlept());
    shown.put("connections_restored", stats.connectionsRestored());
    shown.put("rules_removed", stats.rulesRemoved());
    return shown;
  }

  private static Object moves(MoveStats stats) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("elephants", stats.elephants());
    shown.put("elephants_seen", stats.seen());
    shown.put("moved", stats.moved());
    shown.put("failed", stats.failed());
    shown.put("switches_left_out", stats.leftOut());
    return shown;
  }

  private List<Object> paths() {
    return balancer.paths().stream().map(StateResources::path).collect(Collectors.toList());
  }

  private static Object path(PathStats stats) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("label", stats.label().toString());
    line.put(
        "switches",
        stats.path().switches().stream().map(DatapathId::toString).collect(Collectors.toList()));
    line.put("connections", stats.connections());
    line.put("active", stats.active());
    return line;
  }
}
