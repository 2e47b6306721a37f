package io.malob.rest.live;

import com.google.common.collect.Maps;
import io.malob.balancer.api.ProactiveStats;
import io.malob.json.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of VIPs that are or may become proactive, as REST and the stream of changes show it.
 * Pure.
 */
public final class ShownPlacement {
  /** The max number of edges of a VIP that REST shows. */
  public static final int MAX_EDGES = 1_000;

  /** When switches forget tracked connections: OpenFlow cannot set that. */
  private static final String SWITCHS_DEFAULTS = "switch's defaults";

  private ShownPlacement() {}

  /**
   * All VIPs.
   *
   * @param maxEdges the max number of edges of each VIP
   */
  public static List<?> of(List<ProactiveStats> vips, int maxEdges) {
    return vips.stream().map(vip -> of(vip, maxEdges)).toList();
  }

  private static Map<String, @Nullable Object> of(ProactiveStats vip, int maxEdges) {
    return Json.fields(
        "vip_id", vip.vipId(),
        "mode", vip.mode().text(),
        "state", vip.state().text(),
        "tracking", vip.tracking().map(ProactiveStats.Tracking::text),
        "timeouts", vip.tracking().map(any -> SWITCHS_DEFAULTS),
        "edges", vip.edges().stream().limit(maxEdges).map(ShownPlacement::edge).toList(),
        "edges_left_out", Math.max(0, vip.edges().size() - maxEdges),
        "moves", vip.moves(),
        "recent_moves", vip.recentMoves().stream().map(ShownPlacement::move).toList(),
        "opened", vip.opened());
  }

  private static Map<String, @Nullable Object> edge(ProactiveStats.Edge edge) {
    return Json.fields(
        "switch", edge.switchId().toString(),
        "state", edge.state().text(),
        "source", edge.source(),
        "buckets", edge.buckets(),
        "moving", edge.moving(),
        "members", edge.byMember(),
        "loads", Maps.transformValues(edge.loads(), Json::rounded),
        "shares", Maps.transformValues(edge.shares(), Json::rounded),
        "imbalance", Json.rounded(edge.imbalance()),
        "too_few_sources", edge.tooFewSources(),
        "packets_per_second", Json.rounded(edge.packetsPerSecond()),
        "problem", edge.problem().map(ProactiveStats.Problem::text));
  }

  private static Map<String, Object> move(ProactiveStats.Move move) {
    return Json.fields(
        "switch", move.switchId().toString(),
        "from", move.from(),
        "to", move.to(),
        "buckets", move.buckets(),
        "cause", move.cause(),
        "seconds_ago", Json.rounded(move.secondsAgo()));
  }
}
