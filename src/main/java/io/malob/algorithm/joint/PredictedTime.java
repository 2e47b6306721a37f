package io.malob.algorithm.joint;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import java.util.Optional;

/**
 * PCT, predicted completion time: the server and the paths with the earliest predicted completion
 * of the connection. The prediction is the network time for the typical traffic of the service,
 * over a fair share of the bottleneck, plus the typical service time at the server, multiplied by
 * its connections in flight and divided by its weight. So small requests go where latency is low,
 * large ones where bandwidth is free, and heavy ones to the least busy server, without
 * configuration.
 *
 * <p>Candidates are the paths with the lowest latency and the widest path, separately for each
 * direction. A link of unknown latency or throughput counts as the worst known one. Without data
 * about links, servers are compared by their load alone, then by links; for an unknown service, a
 * small web page is expected (see {@link ServiceProfile}).
 */
final class PredictedTime implements JointRule {
  private static final Reason REASON =
      new Reason(
          "lowest predicted completion time: latency, transfer over a fair share, time at the"
              + " server",
          "fewest links, then fewest connections per weight, then smaller switch ids");

  @Override
  public Optional<RatedPaths> best(NetworkSnapshot network, Request request, Server server) {
    ServiceProfile profile = request.profile();
    return QuickestPaths.between(
            network, request.clientSwitch(), server.at().switchId(), profile, /* times= */ 1)
        .map(
            paths ->
                new RatedPaths(
                    paths.request(),
                    paths.reply(),
                    paths.nanos() + serviceNanos(network, profile, server),
                    0,
                    JointRule.load(network, server)));
  }

  /** Includes the connections in flight at the server, and the new one. */
  private static double serviceNanos(
      NetworkSnapshot network, ServiceProfile profile, Server server) {
    long inFlight = Math.max(0, server.load().present(network.values().counting()));
    return profile.expectedServiceNanos(server.number()) * (inFlight + 1) / server.weightNow();
  }

  @Override
  public Reason reason() {
    return REASON;
  }

  @Override
  public ImmutableMap<String, Double> values(
      NetworkSnapshot network, Request request, Server server, RatedPaths way) {
    ServiceProfile profile = request.profile();
    double roundTrip = ShortestLatency.roundTripNanos(network, way.request(), way.reply());
    double onTheNetwork = NetworkTime.nanos(network.values(), way.request(), way.reply(), profile);
    return ImmutableMap.<String, Double>builder()
        .put("round_trip_ms", roundTrip / 1e6)
        .put("bottleneck_mbps", network.values().shareBps(way.reply()) / 1e6)
        .put("expected_reply_kilobytes", profile.expectedReplyBits() / 8e3)
        .put("network_ms", onTheNetwork / 1e6)
        .put("at_server_ms", serviceNanos(network, profile, server) / 1e6)
        .put("predicted_ms", way.cost() / 1e6)
        .build();
  }
}
