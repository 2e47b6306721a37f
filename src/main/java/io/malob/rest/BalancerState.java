package io.malob.rest;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Algorithm;
import io.malob.balancer.api.BalancerCounters;
import io.malob.balancer.api.MoveStats;
import io.malob.balancer.api.PathStats;
import io.malob.balancer.api.ReconcileStats;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.projectfloodlight.openflow.types.DatapathId;

/** Shows the balancer's paths, connections and counters. */
final class BalancerState {
  private BalancerState() {}

  /** All algorithms. */
  static List<Object> algorithms() {
    return Algorithm.descriptions().entrySet().stream()
        .map(each -> ImmutableMap.of("name", each.getKey(), "description", each.getValue()))
        .collect(Collectors.toList());
  }

  /** The open connections, and the rules that switches have rejected. */
  static Map<String, Object> counters(BalancerCounters counters) {
    Map<String, Map<String, Long>> refusedRules = new LinkedHashMap<>();
    counters.rejectedRules().forEach((id, byReason) -> refusedRules.put(id.toString(), byReason));
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("open_connections", counters.openConnections());
    answer.put("dormant_connections", counters.dormantConnections());
    answer.put("unsent_batches", counters.unsentBatches());
    answer.put("refused_rules", refusedRules);
    return answer;
  }

  /** The findings of reconciliations with switches. */
  static Object audits(ReconcileStats stats) {
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

  /** The rerouted long flows. */
  static Object moves(MoveStats stats) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("elephants", stats.longFlows());
    shown.put("elephants_seen", stats.seen());
    shown.put("moved", stats.moved());
    shown.put("failed", stats.failed());
    shown.put("switches_left_out", stats.leftOut());
    return shown;
  }

  /** The paths that connections use. */
  static List<Object> paths(List<PathStats> paths) {
    return paths.stream().map(BalancerState::path).collect(Collectors.toList());
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
