package io.malob.algorithm.joint;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import java.util.Optional;

/**
 * HT-PS of the thesis (section 3.3.3): the server from which a new connection gets the widest
 * bottleneck towards the client, which is where most services send most, with what was placed since
 * it was measured; of several, the lowest latency. A link of unknown throughput counts as the
 * narrowest that is known; where none is known, the lowest latency decides, as in SPL. Where no
 * latency is known either, it is the fewest links, then the fewest connections by weight. What
 * servers report is not looked at.
 */
final class WidestBottleneck implements JointRule {
  private static final Reason REASON =
      new Reason(
          "widest bottleneck for a new connection from the server to the client",
          "lowest latency, then fewest links, then fewest connections per weight, then smaller"
              + " switch ids");

  @Override
  public Optional<Way> best(NetworkSnapshot network, Request request, Server server) {
    Optional<Path> there = network.widest(request.clientSwitch(), server.at().switchId());
    Optional<Path> back = network.widest(server.at().switchId(), request.clientSwitch());
    if (there.isEmpty() || back.isEmpty()) {
      return Optional.empty();
    }
    double roundTrip = ShortestLatency.roundTripNanos(network, there.get(), back.get());
    return Optional.of(
        new Way(
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
      NetworkSnapshot network, Request request, Server server, Way way) {
    return ImmutableMap.of(
        "bottleneck_mbps", -way.cost() / 1e6, "round_trip_ms", way.secondCost() / 1e6);
  }
}
