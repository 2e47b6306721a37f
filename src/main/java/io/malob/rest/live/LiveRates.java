package io.malob.rest.live;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.balancer.api.BalancerCounters;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.LinkStats;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.ProfileStats;
import io.malob.balancer.api.VipStats;
import io.malob.json.Json;
import io.malob.monitor.IMonitorService;
import io.malob.rest.problem.Problem;
import io.malob.rest.problem.ProblemSources;
import io.malob.rest.problem.Problems;
import io.malob.state.catalog.Member;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.Measurement;
import io.malob.state.network.ServerMeasurements;
import io.malob.state.network.ServerValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one moment, as short lists: one for each link and each member of a {@link
 * LiveState}, in its order. Unknown values are null. Created anew for each moment.
 */
final class LiveRates {
  private static final double MEGA = 1e6;
  private static final double NANOS_PER_MILLISECOND = 1e6;
  private static final ImmutableList<String> POSITIONS =
      ImmutableList.of(
          "active_connections",
          "total_connections",
          "cpu",
          "foreign_connections",
          "response_ms",
          "located",
          "health");

  /** The max number of problems that are sent each second; REST has all of them. */
  private static final int MAX_PROBLEMS = 10;

  /** The max number of client edges of a proactive VIP that are sent each second. */
  private static final int MAX_EDGES = 20;

  private static final MemberStats NOTHING_YET = MemberStats.unknown(false);

  private final ProblemSources sources;
  private final IBalancerService balancer;
  private final IMonitorService monitor;
  private final long nowNanos;

  LiveRates(ProblemSources sources) {
    this.sources = sources;
    this.balancer = sources.balancer();
    this.monitor = sources.monitor();
    this.nowNanos = monitor.nanoTime();
  }

  /** As a JSON object. */
  Map<String, @Nullable Object> shown(
      LiveState state, String stateTag, Map<DirectedLink, LinkMeasurements> known) {
    List<Map<String, @Nullable Object>> members = members(state);
    BalancerCounters counters = balancer.counters();
    List<Problem> problems = Problems.now(sources);
    return Json.fields(
        "state", stateTag,
        "time_ms", Math.round(nowNanos / NANOS_PER_MILLISECOND),
        "links", links(state, known),
        "member_values", columns(members),
        "members", members.stream().map(LiveRates::line).toList(),
        "placements", placements(),
        "profiles", balancer.profiles().stream().map(LiveRates::profile).toList(),
        "refusals", balancer.rejects(),
        "half_open", halfOpen(),
        "placement", ShownPlacement.of(balancer.proactive(), MAX_EDGES),
        "open_connections", counters.openConnections(),
        "dormant_connections", counters.dormantConnections(),
        "unsent_batches", counters.unsentBatches(),
        "problems", problems.stream().limit(MAX_PROBLEMS).toList(),
        "problems_left_out", Math.max(0, problems.size() - MAX_PROBLEMS));
  }

  /** VIPs with many half-open connections: their number and limit. */
  private Map<String, List<Integer>> halfOpen() {
    return new TreeMap<>(
        Maps.transformValues(
            Maps.filterValues(balancer.vipStats(), VipStats::isCrowded),
            stats -> List.of(stats.halfOpenConnections(), stats.halfOpenLimit())));
  }

  /** Utilization, latency, capacity, throughput, active connections. */
  private List<?> links(LiveState state, Map<DirectedLink, LinkMeasurements> known) {
    Map<DirectedLink, Integer> active =
        balancer.links().stream().collect(Collectors.toMap(LinkStats::link, LinkStats::active));
    return state.links().stream()
        .map(
            link -> {
              LinkMeasurements values = known.getOrDefault(link, LinkMeasurements.UNKNOWN);
              return Arrays.asList(
                  value(values.useBps(), MEGA),
                  value(values.latencyNanos(), NANOS_PER_MILLISECOND),
                  monitor
                      .capacity(link)
                      .map(capacity -> Json.rounded(capacity.bitsPerSecond() / MEGA))
                      .orElse(null),
                  value(values.throughputBps(), MEGA),
                  active.getOrDefault(link, 0));
            })
        .toList();
  }

  /** The known values of each member, by name. */
  private List<Map<String, @Nullable Object>> members(LiveState state) {
    Map<String, MemberStats> all = balancer.memberStats();
    return state.catalog().members().values().stream()
        .limit(LiveState.MAX_MEMBERS)
        .map(member -> values(member, all.getOrDefault(member.id(), NOTHING_YET)))
        .toList();
  }

  private Map<String, @Nullable Object> values(Member member, MemberStats stats) {
    ServerMeasurements known = monitor.servers().get(member.address(), nowNanos);
    Map<String, @Nullable Object> values =
        Json.fields(
            "active_connections", stats.activeConnections(),
            "total_connections", stats.totalConnections(),
            "foreign_connections", stats.foreignConnections(),
            "located", stats.located(),
            "health", stats.health().text());
    for (ServerValue value : ServerValue.values()) {
      values.put(value.field(), value(known.value(value), value.unit()));
    }
    return values;
  }

  /** The same as columns, so that each name is sent once. */
  private static Map<String, List<@Nullable Object>> columns(
      List<Map<String, @Nullable Object>> members) {
    Map<String, List<@Nullable Object>> columns = new LinkedHashMap<>();
    members.forEach(
        values ->
            values.forEach(
                (name, value) ->
                    columns.computeIfAbsent(name, any -> new ArrayList<>()).add(value)));
    return columns;
  }

  /** The same by position, in the older form; it gets no new values. */
  private static List<?> line(Map<String, @Nullable Object> values) {
    return POSITIONS.stream()
        .map(values::get)
        .map(value -> value instanceof Boolean is ? Integer.valueOf(is ? 1 : 0) : value)
        .toList();
  }

  /** Service, algorithm, outcome, and how many. */
  private List<?> placements() {
    return balancer.placements().stream()
        .map(each -> List.of(each.serviceId(), each.algorithm(), each.outcome(), each.count()))
        .toList();
  }

  private static Map<String, @Nullable Object> profile(ProfileStats profile) {
    return Json.fields(
        "vip_id", profile.vipId(),
        "service_id", profile.serviceId(),
        "ftp_data", profile.isFtpData(),
        "samples", profile.samples(),
        "reply_bytes", Math.round(profile.replyBytes()),
        "service_ms", Json.rounded(profile.serviceNanos() / NANOS_PER_MILLISECOND));
  }

  private static @Nullable Double value(@Nullable Measurement measured, double unit) {
    return measured == null ? null : Json.rounded(measured.value() / unit);
  }
}
