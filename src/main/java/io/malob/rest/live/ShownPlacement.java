package io.malob.rest.live;

import com.google.common.collect.Maps;
import io.malob.balancer.api.ProactiveStats;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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

  private ShownPlacement() {}

  /**
   * All VIPs.
   *
   * @param maxEdges the max number of edges of each VIP
   */
  public static List<Object> of(List<ProactiveStats> vips, int maxEdges) {
    List<Object> shown = new ArrayList<>();
    vips.forEach(vip -> shown.add(of(vip, maxEdges)));
    return shown;
  }

  private static Map<String, Object> of(ProactiveStats vip, int maxEdges) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("vip_id", vip.vipId());
    shown.put("mode", vip.mode().text());
    shown.put("state", vip.state().text());
    shown.put("edges", vip.edges().stream().limit(maxEdges).map(ShownPlacement::edge).toList());
    shown.put("edges_left_out", Math.max(0, vip.edges().size() - maxEdges));
    shown.put("moves", vip.moves());
    shown.put("recent_moves", vip.recentMoves().stream().map(ShownPlacement::move).toList());
    shown.put("opened", vip.opened());
    return shown;
  }

  private static Map<String, @Nullable Object> edge(ProactiveStats.Edge edge) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("switch", edge.switchId().toString());
    shown.put("state", edge.state().text());
    shown.put("source", edge.source().orElse(null));
    shown.put("buckets", edge.buckets());
    shown.put("moving", edge.moving());
    shown.put("members", edge.byMember());
    shown.put("loads", Maps.transformValues(edge.loads(), ShownPlacement::rounded));
    shown.put("shares", Maps.transformValues(edge.shares(), ShownPlacement::rounded));
    shown.put("imbalance", rounded(edge.imbalance()));
    shown.put("too_few_sources", edge.tooFewSources());
    shown.put("packets_per_second", rounded(edge.packetsPerSecond()));
    shown.put("problem", edge.problem().map(ProactiveStats.Problem::text).orElse(null));
    return shown;
  }

  private static Map<String, Object> move(ProactiveStats.Move move) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("switch", move.switchId().toString());
    shown.put("from", move.from());
    shown.put("to", move.to());
    shown.put("buckets", move.buckets());
    shown.put("cause", move.cause());
    shown.put("seconds_ago", rounded(move.secondsAgo()));
    return shown;
  }

  private static double rounded(double value) {
    return Math.round(value * 1e3) / 1e3;
  }
}
