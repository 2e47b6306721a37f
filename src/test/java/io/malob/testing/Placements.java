package io.malob.testing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.ProactiveStats.Edge;
import io.malob.balancer.api.ProactiveStats.Move;
import io.malob.balancer.api.ProactiveStats.Problem;
import io.malob.balancer.api.ProactiveStats.State;
import io.malob.state.catalog.PlacementMode;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/** States of proactive VIPs. */
public final class Placements {
  private Placements() {}

  /** An edge whose 64 buckets lead to a and b, two of them moving. */
  public static Edge proactive(long switchId) {
    return new Edge(
        DatapathId.of(switchId),
        State.PROACTIVE,
        Optional.of("port"),
        64,
        2,
        ImmutableMap.of("a", 40, "b", 24),
        ImmutableMap.of("a", 0.625, "b", 0.375),
        ImmutableMap.of("a", 2 / 3.0, "b", 1 / 3.0),
        0.0123456,
        false,
        1_500.25,
        Optional.empty());
  }

  /** The same with clients too few to meet the shares. */
  public static Edge uneven(long switchId, String source) {
    Edge edge = proactive(switchId);
    return new Edge(
        edge.switchId(),
        edge.state(),
        Optional.of(source),
        edge.buckets(),
        edge.moving(),
        edge.byMember(),
        edge.loads(),
        edge.shares(),
        0.25,
        true,
        edge.packetsPerSecond(),
        edge.problem());
  }

  /** The same with a problem. */
  public static Edge lacking(long switchId, Problem.Kind kind, String why) {
    Edge edge = proactive(switchId);
    return new Edge(
        edge.switchId(),
        edge.state(),
        edge.source(),
        edge.buckets(),
        edge.moving(),
        edge.byMember(),
        edge.loads(),
        edge.shares(),
        edge.imbalance(),
        edge.tooFewSources(),
        edge.packetsPerSecond(),
        Optional.of(new Problem(kind, why)));
  }

  /** An edge without buckets. */
  public static Edge reactive(long switchId, Problem.Kind kind, String why) {
    return new Edge(
        DatapathId.of(switchId),
        State.REACTIVE,
        Optional.empty(),
        0,
        0,
        ImmutableMap.of(),
        ImmutableMap.of(),
        ImmutableMap.of(),
        0,
        false,
        0,
        Optional.of(new Problem(kind, why)));
  }

  /** A VIP web that is to be proactive, with one move of three buckets. */
  public static ProactiveStats web(Edge... edges) {
    boolean isProactive = edges.length > 0 && edges[0].state() == State.PROACTIVE;
    return new ProactiveStats(
        "web",
        PlacementMode.PROACTIVE,
        isProactive ? State.PROACTIVE : State.CHANGING,
        Optional.empty(),
        ImmutableList.copyOf(edges),
        7,
        ImmutableList.of(new Move(DatapathId.of(1), "a", "b", "shares", 12.3456, 3)),
        ImmutableMap.of("a", 500L));
  }
}
