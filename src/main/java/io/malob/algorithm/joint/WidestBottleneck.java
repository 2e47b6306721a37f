package io.malob.algorithm.joint;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import java.util.Optional;

/**
 * HT-PS of the thesis (section 3.3.3): the server with the widest bottleneck for a new connection
 * towards the client, the direction of most traffic, including connections placed since the
 * measurement; of several, the lowest latency. A link of unknown throughput counts as the narrowest
 * that is known; if none is known, the lowest latency decides, as in SPL. If no latency is known
 * either, the fewest links decide, then the fewest connections by weight. Reports of servers are
 * ignored.
 */
final class WidestBottleneck implements JointRule {
  private static final Reason REASON =
      new Reason(
          "widest bottleneck for a new connection from the server to the client",
          "lowest latency, then fewest links, then fewest connections per weight, then smaller"
              + " switch ids");

  @Override
  public Optional<RatedPaths> best(NetworkSnapshot network, Request request, Server server) {
    Optional<Path> there = network.widest(request.clientSwitch(), server.at().switchId());
    Optional<Path> back = network.widest(server.at().switchId(), request.clientSwitch());
    if (there.isEmpty() || back.isEmpty()) {
      return Optional.empty();
    }
    double roundTrip = ShortestLatency.roundTripNanos(network, there.get(), back.get());
    return Optional.of(
        new RatedPaths(
            there.get(),
            back.get(),
            -network.values().shareBps(back.get()),
            roundTrip,
            JointRule.load(network, server)));
  }

  @Override
  public Reason reason() {
    return REASON;
  }

  @Override
  public ImmutableMap<String, Double> values(
      NetworkSnapshot network, Request request, Server server, RatedPaths way) {
    return ImmutableMap.of(
        "bottleneck_mbps", -way.cost() / 1e6, "round_trip_ms", way.secondCost() / 1e6);
  }
}
