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
 * Tells from what a switch has counted, look after look, which flows carry much for long: those
 * that have carried so many bytes and still do, and those that have used a tenth of their
 * bottleneck at two looks. For one thread at a time. Keeps something of the larger flows at the
 * switches of the latest looks only.
 */
public final class LongFlowFinder {
  /** Of what a path can carry: less is no load that would be worth a move. */
  private static final double LEAST_PART = 0.01;

  private static final double FAST_PART = 0.1;
  private static final int FAST_LOOKS = 2;

  /** Smaller flows are not remembered; the rate of the next look is their mean rate then. */
  private static final long LEAST_BYTES = 65_536;

  private final ConnectionTable connections;
  private final LongFlowSettings settings;
  private final Map<DatapathId, Map<Key, Seen>> latest = new HashMap<>();
  private final Map<DatapathId, List<LongFlow>> found = new HashMap<>();
  private long seen;

  private record Key(int generation, boolean isReply) {}

  /** What was seen of a flow at the latest look. */
  private record Seen(RuleCounts counts, int fastLooks, boolean isLongFlow) {}

  public LongFlowFinder(ConnectionTable connections, LongFlowSettings settings) {
    this.connections = connections;
    this.settings = settings;
  }

  /** Takes in what a switch has counted for the connections that begin at it. */
  void look(DatapathId switchId, List<OFFlowStatsEntry> rules, Map<DirectedLink, LinkState> links) {
    Map<Key, Seen> before = latest.getOrDefault(switchId, Map.of());
    Map<Key, Seen> now = new HashMap<>();
    List<LongFlow> longFlows = new ArrayList<>();
    for (OFFlowStatsEntry rule : rules) {
      boolean isReply = Cookie.is(rule.getCookie(), Cookie.Kind.REPLY);
      @Nullable Connection connection = connectionOf(rule, isReply);
      @Nullable Route route = connection == null ? null : connection.route();
      @Nullable RuleCounts counts = RuleCounts.of(rule).orElse(null);
      if (connection != null && route != null && counts != null && counts.bytes() >= LEAST_BYTES) {
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
    boolean goesOn =
        last != null && now.bytes() >= last.counts.bytes() && now.nanos() > last.counts.nanos();
    long bytes = goesOn && last != null ? now.bytes() - last.counts.bytes() : now.bytes();
    long nanos = goesOn && last != null ? now.nanos() - last.counts.nanos() : now.nanos();
    return nanos <= 0 ? 0 : bytes * 8e9 / nanos;
  }

  private Seen judge(@Nullable Seen last, RuleCounts counts, double bps, double capacityBps) {
    boolean isFast = bps > FAST_PART * capacityBps;
    int fastLooks = isFast ? (last == null ? 1 : last.fastLooks + 1) : 0;
    boolean isLarge = counts.bytes() >= settings.bytes() && bps > LEAST_PART * capacityBps;
    return new Seen(counts, fastLooks, isLarge || fastLooks >= FAST_LOOKS);
  }

  /** What the narrowest link of a path can carry; infinite if it has none, or one is unknown. */
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

  /** Forgets what it knew of all other switches. */
  void retain(Set<DatapathId> switches) {
    latest.keySet().retainAll(switches);
    found.keySet().retainAll(switches);
  }

  /** Those of the latest look at each switch that are still as they were found then. */
  List<LongFlow> longFlows() {
    return found.keySet().stream()
        .sorted()
        .flatMap(switchId -> found.getOrDefault(switchId, List.of()).stream())
        .filter(longFlow -> longFlow.route().equals(longFlow.connection().route()))
        .toList();
  }

  /** How many there ever were. */
  long seen() {
    return seen;
  }
}
