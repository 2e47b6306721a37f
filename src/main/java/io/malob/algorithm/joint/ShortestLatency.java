package io.malob.algorithm.joint;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import java.util.Optional;

/**
 * SL-PS of the thesis (section 3.3.3): the server with the lowest sum of the latencies of both
 * paths and the wait at the server (the thesis omits the wait, so the nearest server gets all
 * connections even if it is busy; see {@link io.malob.algorithm.ServerLoad#expectedWaitNanos}). Of
 * several, the one with the fewest links.
 *
 * <p>A link of unknown latency counts as the slowest that is known. If none is known, the server
 * with the shortest wait is chosen, then the server the fewest links away. A server without a
 * recent report is expected to take a millisecond for each of its connections.
 */
final class ShortestLatency implements JointRule {
  private static final Reason REASON =
      new Reason(
          "lowest latency to the server and back, plus the wait at the server",
          "fewest links, then fewest connections per weight, then smaller switch ids");

  @Override
  public Optional<RatedPaths> best(NetworkSnapshot network, Request request, Server server) {
    Optional<Path> there = network.lowestLatency(request.clientSwitch(), server.at().switchId());
    Optional<Path> back = network.lowestLatency(server.at().switchId(), request.clientSwitch());
    if (there.isEmpty() || back.isEmpty()) {
      return Optional.empty();
    }
    double cost = roundTripNanos(network, there.get(), back.get()) + waitNanos(network, server);
    return Optional.of(
        new RatedPaths(there.get(), back.get(), cost, 0, JointRule.load(network, server)));
  }

  static double roundTripNanos(NetworkSnapshot network, Path there, Path back) {
    return network.values().latencyNanos(there) + network.values().latencyNanos(back);
  }

  private static double waitNanos(NetworkSnapshot network, Server server) {
    // a server in slow start counts as slower in proportion to its missing share
    return server.load().expectedWaitNanos(server.weight(), network.values().counting())
        / server.load().share();
  }

  @Override
  public Reason reason() {
    return REASON;
  }

  @Override
  public ImmutableMap<String, Double> values(
      NetworkSnapshot network, Request request, Server server, RatedPaths way) {
    return ImmutableMap.of(
        "round_trip_ms", roundTripNanos(network, way.request(), way.reply()) / 1e6,
        "expected_wait_ms", waitNanos(network, server) / 1e6,
        "expected_latency_ms", way.cost() / 1e6);
  }
}
