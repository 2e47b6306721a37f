package io.malob.rest;

import com.google.common.collect.ImmutableMap;
import io.malob.agent.IAgentService;
import io.malob.algorithm.Algorithm;
import io.malob.balancer.api.BalancerCounters;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.MoveStats;
import io.malob.balancer.api.PathStats;
import io.malob.balancer.api.ReconcileStats;
import io.malob.endhost.IEndhostService;
import io.malob.latency.ILatencyService;
import io.malob.monitor.IMonitorService;
import io.malob.mptcp.IMptcpService;
import java.io.IOException;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Shows what the balancer does and what it sees of the network: the paths that it uses, what it
 * refused, how full it is, what audits found; links and servers.
 */
final class StateResources implements Resources {
  private final IBalancerService balancer;
  private final ImmutableMap<String, Part> parts;

  /** What is below one name. */
  private interface Part {
    Reply answer(Call call) throws IOException, RefusedException;
  }

  /** What is shown for a query. */
  private interface Shown {
    Object of(String query) throws RefusedException;
  }

  StateResources(
      IBalancerService balancer,
      IMonitorService monitor,
      IAgentService agents,
      ILatencyService latency,
      IMptcpService mptcp,
      IEndhostService endhost) {
    this.balancer = balancer;
    MonitoredState monitored = new MonitoredState(balancer, monitor, Clock.systemUTC());
    ReportResources reports = new ReportResources(agents);
    CapacityResources capacities = new CapacityResources(monitor.capacities());
    MptcpResources plans = new MptcpResources(mptcp);
    EndhostResources uplinks = new EndhostResources(endhost);
    ConfigResources config = new ConfigResources(balancer.catalog());
    ImmutableMap.Builder<String, Part> all = ImmutableMap.builder();
    CatalogWrites writes = new CatalogWrites(balancer);
    all.put("config", alone(call -> writes.answer(call, config::answer)));
    all.put("openapi.json", reading(query -> OpenApiDocument.text()));
    all.put("explain", asking(new ExplanationResources(balancer, monitor)::explain));
    all.put("connections", asking(new ConnectionResources(balancer)::list));
    all.put("capacities", part((method, path, body) -> capacities.answer(method, path, body)));
    all.put("paths", reading(query -> paths()));
    all.put("algorithms", reading(query -> algorithms()));
    all.put("profiles", reading(query -> LearntServices.shown(balancer.profiles())));
    all.put("moves", reading(query -> moves(balancer.moves())));
    all.put("links", reading(query -> monitored.links()));
    all.put("servers", reading(query -> monitored.servers()));
    all.put("snapshot", reading(query -> monitored.snapshot()));
    all.put("latency", reading(query -> LatencyProbing.shown(latency)));
    all.put("reports", alone(part((method, path, body) -> reports.answer(method, body))));
    all.put("refusals", reading(query -> balancer.rejects()));
    all.put("counters", reading(query -> counters()));
    all.put("audits", reading(query -> audits(balancer.reconcileStats())));
    all.put("logs", part(new LogLevels()::answer));
    all.put("mptcp", part(plans::answer));
    all.put(
        "endhost", call -> uplinks.answer(call.method(), call.path(), call.query(), call.body()));
    parts = all.build();
  }

  private interface Unasked {
    Reply answer(String method, List<String> path, RequestBody body)
        throws IOException, RefusedException;
  }

  /** A part without query parameters. */
  private static Part part(Unasked part) {
    return call -> {
      call.checkNoParameters();
      return part.answer(call.method(), call.path(), call.body());
    };
  }

  /** A part with nothing below it. */
  private static Part alone(Part part) {
    return call -> {
      if (!call.path().isEmpty()) {
        throw new RefusedException(404, "there is nothing below this", null);
      }
      return part.answer(call);
    };
  }

  /** A part that is only looked at, with query parameters. */
  private static Part asking(Shown shown) {
    return alone(
        call -> {
          if (!call.method().equals("GET")) {
            throw RefusedException.method(call.method(), "GET");
          }
          return Reply.ok(shown.of(call.query()));
        });
  }

  /** A part that is only looked at, without query parameters. */
  private static Part reading(Shown shown) {
    return asking(
        query -> {
          QueryParameters.none(query);
          return shown.of(query);
        });
  }

  @Override
  public Reply answer(String method, List<String> path, String query, RequestBody body)
      throws IOException, RefusedException {
    return answer(new Call(method, path, query, name -> Optional.empty(), body));
  }

  @Override
  public Reply answer(Call call) throws IOException, RefusedException {
    @Nullable Part part = call.path().isEmpty() ? null : parts.get(call.path().get(0));
    if (part == null) {
      throw new RefusedException(
          404,
          "there is nothing at /"
              + String.join("/", call.path())
              + " here, only "
              + String.join(", ", parts.keySet()),
          null);
    }
    return part.answer(call.below());
  }

  private static List<Object> algorithms() {
    return Algorithm.descriptions().entrySet().stream()
        .map(each -> ImmutableMap.of("name", each.getKey(), "description", each.getValue()))
        .collect(Collectors.toList());
  }

  private Map<String, Object> counters() {
    BalancerCounters counters = balancer.counters();
    Map<String, Map<String, Long>> refusedRules = new LinkedHashMap<>();
    counters.rejectedRules().forEach((id, byReason) -> refusedRules.put(id.toString(), byReason));
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("open_connections", counters.openConnections());
    answer.put("dormant_connections", counters.dormantConnections());
    answer.put("unsent_batches", counters.unsentBatches());
    answer.put("refused_rules", refusedRules);
    return answer;
  }

  private static Object audits(ReconcileStats stats) {
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
    shown.put("elephants", stats.longFlows());
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
