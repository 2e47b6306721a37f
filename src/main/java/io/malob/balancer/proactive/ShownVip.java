package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.ProactiveStats.Problem;
import io.malob.balancer.api.ProactiveStats.State;
import io.malob.balancer.api.ProactiveStats.Tracking;
import io.malob.openflow.bucket.BucketKey;
import io.malob.state.catalog.Vip;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The state of a proactive VIP as other modules see it. Pure. */
final class ShownVip {
  private ShownVip() {}

  static ProactiveStats of(
      Vip vip,
      ProactiveVip state,
      Map<Integer, String> memberIds,
      SourceProbe sourceProbe,
      long nowNanos) {
    ImmutableList<ProactiveStats.Edge> edges =
        state.edges().stream()
            .map(
                edge ->
                    state.shown(
                        edge, problemOf(edge, vip, state, sourceProbe, nowNanos), memberIds))
            .collect(ImmutableList.toImmutableList());
    ImmutableMap.Builder<String, Long> opened = ImmutableMap.builder();
    memberIds.forEach(
        (number, id) -> {
          long count = state.estimates().opened(number);
          if (count > 0) {
            opened.put(id, count);
          }
        });
    return new ProactiveStats(
        vip.id(),
        vip.placement(),
        stateOf(state, edges),
        trackingOf(state),
        edges,
        state.moves().total(),
        ImmutableList.copyOf(state.moves().recent()).reverse().stream()
            .map(move -> move(move, memberIds, nowNanos))
            .collect(ImmutableList.toImmutableList()),
        opened.build());
  }

  private static Optional<Tracking> trackingOf(ProactiveVip vip) {
    return vip.traffic().isTracked()
        ? Optional.of(vip.isExact() ? Tracking.EXACT : Tracking.SHARES)
        : Optional.empty();
  }

  private static State stateOf(ProactiveVip vip, ImmutableList<ProactiveStats.Edge> edges) {
    if (edges.stream().anyMatch(edge -> edge.state() == State.CHANGING)) {
      return State.CHANGING;
    }
    boolean isProactive = edges.stream().anyMatch(edge -> edge.state() == State.PROACTIVE);
    return isProactive ? State.PROACTIVE : vip.isWanted() ? State.CHANGING : State.REACTIVE;
  }

  /** An edge. */
  static ProactiveStats.Edge edge(
      EdgeBuckets edge, Optional<Problem> problem, Map<Integer, String> memberIds) {
    return new ProactiveStats.Edge(
        edge.switchId(),
        switch (edge.state()) {
          case REACTIVE -> State.REACTIVE;
          case PREPARING, LEAVING -> State.CHANGING;
          case PROACTIVE -> State.PROACTIVE;
        },
        edge.key().map(key -> key.source().text()),
        edge.key().map(BucketKey::count).orElse(0),
        edge.members().moving(),
        byId(edge.members().byMember(), memberIds, count -> count),
        byId(edge.members().loads(), memberIds, load -> load),
        byId(edge.shares().wanted(), memberIds, share -> share),
        edge.traffic().imbalance(),
        edge.traffic().hasTooFewSources(),
        edge.traffic().packetsPerSecond(),
        problem);
  }

  private static Optional<Problem> problemOf(
      EdgeBuckets edge, Vip of, ProactiveVip vip, SourceProbe sourceProbe, long nowNanos) {
    return vip.isWanted() ? problem(edge, of, vip, sourceProbe, nowNanos) : Optional.empty();
  }

  private static Optional<Problem> problem(
      EdgeBuckets edge, Vip of, ProactiveVip vip, SourceProbe sourceProbe, long nowNanos) {
    if (sourceProbe.known(edge.switchId(), vip.traffic().family()) == SourceProbe.Result.NONE) {
      return Optional.of(
          new Problem(Problem.Kind.NO_MASKS, "the switch accepts no masks on ports or addresses"));
    }
    return vip.lacksTracking(edge.switchId())
        .map(why -> new Problem(Problem.Kind.NO_TRACKING, why))
        .or(
            () ->
                vip.lacksSource(edge.switchId())
                    .map(why -> new Problem(Problem.Kind.NO_SOURCE_ADDRESS, why)))
        .or(
            () ->
                vip.lacksTables(of, edge.switchId())
                    .map(why -> new Problem(Problem.Kind.FEW_TABLES, why)))
        .or(
            () ->
                vip.refusal(edge.switchId())
                    .map(
                        why ->
                            new Problem(
                                Problem.Kind.RULE_REFUSED, "a switch refuses a rule: " + why)))
        .or(
            () ->
                vip.fullTables()
                    .problem(edge.switchId(), nowNanos)
                    .map(why -> new Problem(Problem.Kind.TRACKING_FULL, why)));
  }

  private static <T, S> ImmutableMap<String, S> byId(
      Map<Integer, T> byNumber, Map<Integer, String> ids, Function<T, S> shown) {
    ImmutableMap.Builder<String, S> byId = ImmutableMap.builder();
    byNumber.forEach(
        (number, value) -> {
          @Nullable String id = ids.get(number);
          if (id != null) {
            byId.put(id, shown.apply(value));
          }
        });
    return byId.build();
  }

  private static ProactiveStats.Move move(
      Moves.Recent move, Map<Integer, String> memberIds, long nowNanos) {
    return new ProactiveStats.Move(
        move.switchId(),
        memberIds.getOrDefault(move.from(), "?"),
        memberIds.getOrDefault(move.to(), "?"),
        move.cause().text(),
        (nowNanos - move.atNanos()) / 1e9,
        move.buckets());
  }
}
