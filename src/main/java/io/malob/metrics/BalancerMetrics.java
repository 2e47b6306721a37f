package io.malob.metrics;

import io.malob.algorithm.AddressKey;
import io.malob.balancer.api.BalancerActivity;
import io.malob.balancer.api.BalancerActivity.Traffic;
import io.malob.balancer.api.BalancerCounters;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.MoveStats;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.ReconcileStats;
import io.malob.monitor.IMonitorService;
import io.malob.state.catalog.Member;
import io.malob.state.network.ServerMeasurements;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The metrics of the balancer and its members. */
record BalancerMetrics(IBalancerService balancer, IMonitorService monitor) {
  void addTo(Samples samples) {
    BalancerActivity activity = balancer.activity();
    activity
        .placements()
        .forEach(
            line ->
                samples.add(
                    Metric.PLACEMENTS,
                    line.count(),
                    line.serviceId(),
                    line.algorithm(),
                    line.outcome()));
    samples.add(Metric.PLACEMENT_SECONDS, activity.placementTimes());
    samples.addAll(Metric.PACKET_INS, activity.packetIns());
    samples.addAll(Metric.PACKET_IN_DROPS, activity.droppedPacketIns());
    samples.addAll(Metric.REFUSALS, balancer.rejects());
    samples.addAll(Metric.EJECTIONS, balancer.ejections());
    samples.add(Metric.WAITING_PACKETS, activity.pendingPackets());
    samples.add(Metric.CONNECTION_RECORDS, activity.records().written(), "written");
    samples.add(Metric.CONNECTION_RECORDS, activity.records().dropped(), "dropped");
    addCounters(samples, balancer.counters());
    addPathChanges(samples, activity, balancer.moves());
    addAudits(samples, balancer.reconcileStats());
    samples.addAll(Metric.VIP_ACTIVE_CONNECTIONS, balancer.vipConnections());
    balancer.proactive().forEach(vip -> addPlacement(samples, vip));
    addMembers(samples, activity);
  }

  private static void addPlacement(Samples samples, ProactiveStats vip) {
    String id = vip.vipId();
    for (ProactiveStats.State state : ProactiveStats.State.values()) {
      samples.add(Metric.VIP_PLACEMENT, vip.state() == state ? 1 : 0, id, state.text());
      samples.add(
          Metric.VIP_EDGES,
          vip.edges().stream().filter(edge -> edge.state() == state).count(),
          id,
          state.text());
    }
    samples.add(
        Metric.VIP_FALLBACK_EDGES,
        vip.edges().stream()
            .filter(edge -> edge.problem().isPresent())
            .filter(edge -> edge.state() != ProactiveStats.State.PROACTIVE)
            .count(),
        id);
    Map<String, Integer> buckets = new TreeMap<>();
    int moving = 0;
    double packetsPerSecond = 0;
    for (ProactiveStats.Edge edge : vip.edges()) {
      edge.byMember().forEach((member, count) -> buckets.merge(member, count, Integer::sum));
      moving += edge.moving();
      packetsPerSecond += edge.packetsPerSecond();
    }
    buckets.forEach((member, count) -> samples.add(Metric.VIP_BUCKETS, count, id, member));
    samples.add(Metric.VIP_MOVING_BUCKETS, moving, id);
    samples.add(Metric.VIP_BUCKET_MOVES, vip.moves(), id);
    samples.add(Metric.VIP_BUCKET_PACKETS_PER_SECOND, packetsPerSecond, id);
  }

  private static void addCounters(Samples samples, BalancerCounters counters) {
    samples.add(Metric.OPEN_CONNECTIONS, counters.openConnections());
    samples.add(Metric.DORMANT_CONNECTIONS, counters.dormantConnections());
    samples.add(Metric.IPV6_ADDRESSES, AddressKey.countOfIpv6());
    samples.add(Metric.UNSENT_BATCHES, counters.unsentBatches());
    counters
        .refusedRules()
        .forEach(
            (id, byReason) ->
                byReason.forEach(
                    (reason, count) -> samples.add(Metric.REFUSED_RULES, count, id, reason)));
  }

  private static void addPathChanges(Samples samples, BalancerActivity activity, MoveStats moves) {
    long repaired = Math.max(0, activity.pathRepairs() - activity.failedPathRepairs());
    samples.add(Metric.PATH_CHANGES, repaired, "broken_link", "done");
    samples.add(Metric.PATH_CHANGES, activity.failedPathRepairs(), "broken_link", "failed");
    samples.add(Metric.PATH_CHANGES, moves.moved(), "long_flow", "done");
    samples.add(Metric.PATH_CHANGES, moves.failed(), "long_flow", "failed");
    samples.add(Metric.LONG_FLOWS, moves.longFlows());
  }

  private static void addAudits(Samples samples, ReconcileStats audits) {
    samples.add(Metric.AUDIT_FINDINGS, audits.tablesRead(), "tables_read");
    samples.add(Metric.AUDIT_FINDINGS, audits.tablesReset(), "tables_reset");
    samples.add(Metric.AUDIT_FINDINGS, audits.connectionsAdopted(), "connections_adopted");
    samples.add(Metric.AUDIT_FINDINGS, audits.connectionsSlept(), "connections_slept");
    samples.add(Metric.AUDIT_FINDINGS, audits.connectionsRestored(), "connections_restored");
    samples.add(Metric.AUDIT_FINDINGS, audits.rulesRemoved(), "rules_removed");
  }

  private void addMembers(Samples samples, BalancerActivity activity) {
    Map<String, MemberStats> stats = balancer.memberStats();
    for (Member member : balancer.catalog().snapshot().members().values()) {
      String pool = Optional.ofNullable(member.poolId()).orElse("");
      @Nullable MemberStats counts = stats.get(member.id());
      if (counts != null) {
        addCounts(samples, counts, member.id(), pool);
      }
      @Nullable Traffic traffic = activity.traffic().get(member.id());
      if (traffic != null) {
        samples.add(Metric.MEMBER_REQUEST_BYTES, traffic.requestBytes(), member.id(), pool);
        samples.add(Metric.MEMBER_REPLY_BYTES, traffic.replyBytes(), member.id(), pool);
        samples.add(Metric.MEMBER_REPLY_RULES, traffic.replyRules(), member.id(), pool);
      }
      ServerMeasurements known = monitor.servers().get(member.address(), monitor.nanoTime());
      known
          .values()
          .forEach(
              (value, measured) ->
                  samples.add(
                      Metric.of(value), measured.value() / value.metricUnit(), member.id(), pool));
    }
  }

  private static void addCounts(Samples samples, MemberStats counts, String member, String pool) {
    samples.add(Metric.MEMBER_ACTIVE_CONNECTIONS, counts.activeConnections(), member, pool);
    samples.add(Metric.MEMBER_ESTIMATED_CONNECTIONS, counts.estimatedConnections(), member, pool);
    samples.add(Metric.MEMBER_FOREIGN_CONNECTIONS, counts.foreignConnections(), member, pool);
    samples.add(Metric.MEMBER_LOCATED, counts.located() ? 1 : 0, member, pool);
    samples.add(Metric.MEMBER_CONNECTIONS, counts.totalConnections(), member, pool);
  }
}
