package io.malob.rest.live;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.balancer.api.BalancerActivity.PlacementCount;
import io.malob.balancer.api.BalancerCounters;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.LinkStats;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.ProfileStats;
import io.malob.module.ClusterView;
import io.malob.module.DuplicateSwitch;
import io.malob.monitor.IMonitorService;
import io.malob.rest.problem.Problem;
import io.malob.rest.problem.Problems;
import io.malob.state.catalog.Member;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.Measurement;
import io.malob.state.network.ServerMeasurements;
import io.malob.state.network.ServerValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import net.floodlightcontroller.devicemanager.IDevice;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one moment, as short lists: one for each link and each member of a {@link
 * LiveState}, in its order. Unknown values are null. Created anew for each moment.
 */
final class LiveRates {
  private static final double MEGA = 1e6;
  private static final double NANOS_PER_MILLISECOND = 1e6;
  private static final double THOUSANDTHS = 1e3;
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

  private final IBalancerService balancer;
  private final IMonitorService monitor;
  private final Optional<ClusterView> cluster;
  private final Collection<? extends IDevice> hosts;
  private final List<DuplicateSwitch> duplicates;
  private final long nowNanos;

  LiveRates(
      IBalancerService balancer,
      IMonitorService monitor,
      Optional<ClusterView> cluster,
      Collection<? extends IDevice> hosts,
      List<DuplicateSwitch> duplicates) {
    this.cluster = cluster;
    this.hosts = hosts;
    this.duplicates = duplicates;
    this.balancer = balancer;
    this.monitor = monitor;
    this.nowNanos = monitor.nanoTime();
  }

  /** As a JSON object. */
  Map<String, @Nullable Object> shown(
      LiveState state, String stateTag, Map<DirectedLink, LinkMeasurements> known) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("state", stateTag);
    shown.put("time_ms", Math.round(nowNanos / NANOS_PER_MILLISECOND));
    shown.put("links", links(state, known));
    List<Map<String, @Nullable Object>> members = members(state);
    shown.put("member_values", columns(members));
    shown.put("members", lines(members));
    shown.put("placements", placements());
    shown.put("profiles", profiles());
    shown.put("refusals", balancer.rejects());
    shown.put("half_open", halfOpen());
    shown.put("placement", ShownPlacement.of(balancer.proactive(), MAX_EDGES));
    BalancerCounters counters = balancer.counters();
    shown.put("open_connections", counters.openConnections());
    shown.put("dormant_connections", counters.dormantConnections());
    shown.put("unsent_batches", counters.unsentBatches());
    List<Problem> problems = Problems.now(balancer, monitor, cluster, hosts, duplicates);
    shown.put(
        "problems",
        problems.stream().limit(MAX_PROBLEMS).map(Problem::shown).collect(Collectors.toList()));
    shown.put("problems_left_out", Math.max(0, problems.size() - MAX_PROBLEMS));
    return shown;
  }

  /** VIPs with many half-open connections: their number and limit. */
  private Map<String, Object> halfOpen() {
    Map<String, Object> crowded = new TreeMap<>();
    balancer
        .vipStats()
        .forEach(
            (vip, stats) -> {
              if (stats.isCrowded()) {
                crowded.put(vip, line(stats.halfOpenConnections(), stats.halfOpenLimit()));
              }
            });
    return crowded;
  }

  /** Utilization, latency, capacity, throughput, active connections. */
  private List<Object> links(LiveState state, Map<DirectedLink, LinkMeasurements> known) {
    Map<DirectedLink, Integer> active = new HashMap<>();
    for (LinkStats stats : balancer.links()) {
      active.put(stats.link(), stats.active());
    }
    List<Object> lines = new ArrayList<>();
    for (DirectedLink link : state.links()) {
      LinkMeasurements values = known.getOrDefault(link, LinkMeasurements.UNKNOWN);
      lines.add(
          line(
              value(values.useBps(), MEGA),
              value(values.latencyNanos(), NANOS_PER_MILLISECOND),
              monitor
                  .capacity(link)
                  .map(capacity -> rounded(capacity.bitsPerSecond() / MEGA))
                  .orElse(null),
              value(values.throughputBps(), MEGA),
              active.getOrDefault(link, 0)));
    }
    return lines;
  }

  /** The known values of each member, by name. */
  private List<Map<String, @Nullable Object>> members(LiveState state) {
    Map<String, MemberStats> all = balancer.memberStats();
    List<Map<String, @Nullable Object>> members = new ArrayList<>();
    for (Member member : state.catalog().members().values()) {
      if (members.size() == LiveState.MAX_MEMBERS) {
        break;
      }
      MemberStats stats = all.getOrDefault(member.id(), NOTHING_YET);
      ServerMeasurements known = monitor.servers().get(member.address(), nowNanos);
      Map<String, @Nullable Object> values = new LinkedHashMap<>();
      values.put("active_connections", stats.activeConnections());
      values.put("total_connections", stats.totalConnections());
      values.put("foreign_connections", stats.foreignConnections());
      values.put("located", stats.located());
      values.put("health", stats.health().text());
      for (ServerValue value : ServerValue.values()) {
        values.put(value.field(), value(known.value(value), value.unit()));
      }
      members.add(values);
    }
    return members;
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
  private static List<Object> lines(List<Map<String, @Nullable Object>> members) {
    List<Object> lines = new ArrayList<>();
    for (Map<String, @Nullable Object> values : members) {
      List<@Nullable Object> line = new ArrayList<>();
      for (String name : POSITIONS) {
        @Nullable Object value = values.get(name);
        line.add(value instanceof Boolean is ? Integer.valueOf(is ? 1 : 0) : value);
      }
      lines.add(line);
    }
    return lines;
  }

  /** Service, algorithm, outcome, and how many. */
  private List<Object> placements() {
    List<Object> lines = new ArrayList<>();
    for (PlacementCount count : balancer.placements()) {
      lines.add(line(count.serviceId(), count.algorithm(), count.outcome(), count.count()));
    }
    return lines;
  }

  private List<Object> profiles() {
    List<Object> lines = new ArrayList<>();
    for (ProfileStats profile : balancer.profiles()) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("vip_id", profile.vipId());
      line.put("service_id", profile.serviceId());
      line.put("ftp_data", profile.isFtpData());
      line.put("samples", profile.samples());
      line.put("reply_bytes", Math.round(profile.replyBytes()));
      line.put("service_ms", rounded(profile.serviceNanos() / NANOS_PER_MILLISECOND));
      lines.add(line);
    }
    return lines;
  }

  private static List<@Nullable Object> line(@Nullable Object... values) {
    return Arrays.asList(values);
  }

  private static @Nullable Double value(@Nullable Measurement measured, double unit) {
    return measured == null ? null : rounded(measured.value() / unit);
  }

  private static double rounded(double value) {
    return Math.round(value * THOUSANDTHS) / THOUSANDTHS;
  }
}
