package io.malob.balancer.reroute;

import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.move.LinkState;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.RuleCounts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Finds long flows in the counters that switches report poll after poll. A flow is long if it has
 * carried the configured number of bytes and is still active, or if it used a tenth of its
 * bottleneck at two polls in a row. Not thread-safe. Keeps state for the larger flows of the
 * switches in the latest polls only.
 */
public final class LongFlowFinder {
  /** Fraction of a path's capacity. A flow below it is not worth a move. */
  private static final double MIN_FRACTION = 0.01;

  private static final double FAST_FRACTION = 0.1;
  private static final int FAST_POLLS = 2;

  /**
   * Smaller flows are not kept. At the next poll, their mean rate takes the place of the recent
   * one.
   */
  private static final long MIN_BYTES = 65_536;

  private final ConnectionTable connections;
  private final LongFlowSettings settings;
  private final Map<DatapathId, Map<Key, Seen>> latest = new HashMap<>();
  private final Map<DatapathId, List<LongFlow>> found = new HashMap<>();
  private long seen;

  private record Key(int generation, boolean isReply) {}

  /** The state of a flow at the latest poll. */
  private record Seen(RuleCounts counts, int fastPolls, boolean isLongFlow) {}

  public LongFlowFinder(ConnectionTable connections, LongFlowSettings settings) {
    this.connections = connections;
    this.settings = settings;
  }

  /** The settings. */
  LongFlowSettings settings() {
    return settings;
  }

  /** Evaluates the counters of connections that begin at a switch. */
  void evaluate(
      DatapathId switchId, List<OFFlowStatsEntry> rules, Map<DirectedLink, LinkState> links) {
    Map<Key, Seen> before = latest.getOrDefault(switchId, Map.of());
    Map<Key, Seen> now = new HashMap<>();
    List<LongFlow> longFlows = new ArrayList<>();
    for (OFFlowStatsEntry rule : rules) {
      boolean isReply = Cookie.is(rule.getCookie(), CookieKind.REPLY);
      @Nullable Connection connection = connectionOf(rule, isReply);
      @Nullable Route route = connection == null ? null : connection.route();
      @Nullable RuleCounts counts = RuleCounts.of(rule).orElse(null);
      if (connection != null && route != null && counts != null && counts.bytes() >= MIN_BYTES) {
        Key key = new Key(connection.generation(), isReply);
        Path path = (isReply ? route.reply() : route.request()).path();
        @Nullable Seen last = before.get(key);
        double bps = bps(last, counts);
        Seen judged = judge(last, counts, bps, capacityBps(path, links));
        now.put(key, judged);
        if (judged.isLongFlow) {
          longFlows.add(new LongFlow(connection, route, isReply, bps));
          seen += last != null && last.isLongFlow ? 0 : 1;
        }
      }
    }
    latest.put(switchId, now);
    found.put(switchId, longFlows);
  }

  private @Nullable Connection connectionOf(OFFlowStatsEntry rule, boolean isReply) {
    FiveTuple tuple = ConnectionRules.tupleOf(rule.getMatch());
    @Nullable Connection connection =
        isReply ? connections.byReply(tuple) : connections.byRequest(tuple);
    return connection != null
            && connection.generation() == Cookie.generation(rule.getCookie())
            && connection.state().counts()
        ? connection
        : null;
  }

  private static double bps(@Nullable Seen last, RuleCounts now) {
    boolean isContinued =
        last != null && now.bytes() >= last.counts.bytes() && now.nanos() > last.counts.nanos();
    long bytes = isContinued && last != null ? now.bytes() - last.counts.bytes() : now.bytes();
    long nanos = isContinued && last != null ? now.nanos() - last.counts.nanos() : now.nanos();
    return nanos <= 0 ? 0 : bytes * 8e9 / nanos;
  }

  private Seen judge(@Nullable Seen last, RuleCounts counts, double bps, double capacityBps) {
    boolean isFast = bps > FAST_FRACTION * capacityBps;
    int fastPolls = isFast ? (last == null ? 1 : last.fastPolls + 1) : 0;
    boolean isLarge = counts.bytes() >= settings.bytes() && bps > MIN_FRACTION * capacityBps;
    return new Seen(counts, fastPolls, isLarge || fastPolls >= FAST_POLLS);
  }

  /**
   * The capacity of a path's narrowest link; infinite if the path has no link or one of unknown
   * capacity.
   */
  private static double capacityBps(Path path, Map<DirectedLink, LinkState> links) {
    double narrowest = Double.POSITIVE_INFINITY;
    for (DirectedLink link : path.links()) {
      @Nullable LinkState state = links.get(link);
      if (state == null) {
        return Double.POSITIVE_INFINITY;
      }
      narrowest = Math.min(narrowest, state.capacityBps());
    }
    return narrowest;
  }

  /** Removes the state of all other switches. */
  void retain(Set<DatapathId> switches) {
    latest.keySet().retainAll(switches);
    found.keySet().retainAll(switches);
  }

  /**
   * The long flows of the latest poll of each switch, without those whose route has changed since.
   */
  List<LongFlow> longFlows() {
    return found.keySet().stream()
        .sorted()
        .flatMap(switchId -> found.getOrDefault(switchId, List.of()).stream())
        .filter(longFlow -> longFlow.route().equals(longFlow.connection().route()))
        .toList();
  }

  /** The number of all long flows so far. */
  long seen() {
    return seen;
  }
}
