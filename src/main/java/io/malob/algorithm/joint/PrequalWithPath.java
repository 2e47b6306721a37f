package io.malob.algorithm.joint;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Explanation;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.server.HotCold;
import io.malob.algorithm.server.Prequal;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * PREQUAL: of the servers that are not hot, the one with the earliest predicted completion,
 * together with the paths; see {@link HotCold} for the servers, and {@link PredictedTime} for the
 * network's part. The prediction is the latency, the transfer over a fair share of the bottleneck,
 * and the service's time at the server, as far as the server is lately faster or slower than
 * others. A new connection delays those with which it shares a link or a server by about as much as
 * they delay it. So transfer and service count twice: that is what the connection costs all of
 * them.
 *
 * <p>Each choice rates at most {@link HotCold#MAX_CANDIDATES} servers, from the snapshot alone. If
 * none of them can take the connection, the others are tried in turn: linear, but rare.
 */
record PrequalWithPath(ImmutableList<Server> servers, AtomicInteger turn, Counting counting)
    implements Placer {
  static final double ITSELF_AND_OTHERS = 2;

  private static final Reason REASON =
      new Reason(
          "lowest predicted cost (latency, transfer over a fair share, time at the server) of the"
              + " candidates, except those above the medians of connections per weight and of"
              + " expected response",
          "fewest connections per weight");

  @Override
  public Result place(Request request, NetworkSnapshot network) {
    return servers.isEmpty()
        ? Refusal.NO_SERVER
        : chosen(candidates(turn.getAndIncrement(), request), request, network);
  }

  private HotCold candidates(int ofTurn, Request request) {
    return new HotCold(servers, ofTurn, counting, request.profile());
  }

  private Result chosen(HotCold candidates, Request request, NetworkSnapshot network) {
    @Nullable QuickestPaths[] paths = new QuickestPaths[candidates.count()];
    int chosen = candidates.choose(i -> cost(candidates, i, paths, request, network));
    @Nullable QuickestPaths best = chosen < 0 ? null : paths[chosen];
    return best == null
        ? placeFrom(0, servers, request, network)
        : new Placement(servers.get(candidates.index(chosen)), best.request(), best.reply());
  }

  /** Infinite if it cannot be chosen. */
  private double cost(
      HotCold candidates,
      int candidate,
      @Nullable QuickestPaths[] paths,
      Request request,
      NetworkSnapshot network) {
    Server server = servers.get(candidates.index(candidate));
    if (!request.acceptable().test(server)) {
      return Double.POSITIVE_INFINITY;
    }
    @Nullable QuickestPaths quickest = known(candidates, paths, server.at().switchId());
    if (quickest == null) {
      quickest = paths(server, request, network).orElse(null);
    }
    paths[candidate] = quickest;
    return quickest == null
        ? Double.POSITIVE_INFINITY
        : quickest.nanos() + ITSELF_AND_OTHERS * serverNanos(candidates, candidate, request);
  }

  /** Those of another candidate at the same switch. */
  private @Nullable QuickestPaths known(
      HotCold candidates, @Nullable QuickestPaths[] paths, DatapathId at) {
    for (int i = 0; i < paths.length; i++) {
      if (paths[i] != null && servers.get(candidates.index(i)).at().switchId().equals(at)) {
        return paths[i];
      }
    }
    return null;
  }

  /** The paths of a connection that counts for itself and others. */
  static Optional<QuickestPaths> paths(Server server, Request request, NetworkSnapshot network) {
    return QuickestPaths.between(
        network,
        request.clientSwitch(),
        server.at().switchId(),
        request.profile(),
        ITSELF_AND_OTHERS);
  }

  private static double serverNanos(HotCold candidates, int candidate, Request request) {
    return request.profile().expectedServiceNanos() * candidates.response(candidate);
  }

  @Override
  public Result placeOn(Server server, Request request, NetworkSnapshot network) {
    Optional<QuickestPaths> paths = paths(server, request, network);
    return paths.isPresent()
        ? new Placement(server, paths.get().request(), paths.get().reply())
        : Refusal.NO_ROUTE;
  }

  @Override
  public Explanation explain(Request request, NetworkSnapshot realNetwork) {
    if (servers.isEmpty()) {
      return new Explanation(Refusal.NO_SERVER, REASON, REASON, ImmutableList.of());
    }
    NetworkSnapshot network = realNetwork.trial();
    HotCold candidates = candidates(turn.get(), request);
    Result result = chosen(candidates, request, network);
    ImmutableList.Builder<Explanation.Candidate> all = ImmutableList.builder();
    for (int index = 0; index < servers.size(); index++) {
      Server server = servers.get(index);
      Optional<QuickestPaths> paths = paths(server, request, network);
      all.add(
          new Explanation.Candidate(
              server,
              paths.map(found -> new Explanation.Paths(found.request(), found.reply())),
              values(candidates, index, paths, request, network),
              request.acceptable().test(server)));
    }
    return new Explanation(result, REASON, REASON, all.build());
  }

  /** A server that is not a candidate has only the values of its paths. */
  private static ImmutableMap<String, Double> values(
      HotCold candidates,
      int index,
      Optional<QuickestPaths> paths,
      Request request,
      NetworkSnapshot network) {
    ImmutableMap.Builder<String, Double> values = ImmutableMap.builder();
    values.putAll(Prequal.values(candidates, index));
    if (paths.isEmpty()) {
      return values.build();
    }
    Path there = paths.get().request();
    Path back = paths.get().reply();
    double onTheNetwork = NetworkTime.nanos(network.values(), there, back, request.profile());
    values.put("round_trip_ms", ShortestLatency.roundTripNanos(network, there, back) / 1e6);
    values.put("bottleneck_mbps", network.values().shareBps(back) / 1e6);
    values.put("network_ms", onTheNetwork / 1e6);
    int candidate = candidates.candidate(index);
    if (candidate >= 0) {
      double atServer = serverNanos(candidates, candidate, request);
      values.put("at_server_ms", atServer / 1e6);
      values.put("predicted_ms", (onTheNetwork + atServer) / 1e6);
      values.put("cost_ms", (paths.get().nanos() + ITSELF_AND_OTHERS * atServer) / 1e6);
    }
    return values.build();
  }
}
