package io.malob.algorithm.joint;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.estimate.TransferTime;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

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
  /** A share of 0 would make all servers equally bad, with an infinite time. */
  private static final double MIN_BPS = 1;

  private static final Reason REASON =
      new Reason(
          "lowest predicted completion time: latency, transfer over a fair share, time at the"
              + " server",
          "fewest links, then fewest connections per weight, then smaller switch ids");

  @Override
  public Optional<Way> best(NetworkSnapshot network, Request request, Server server) {
    ServiceProfile profile = request.profile();
    @Nullable Path there =
        quickest(
            network,
            request.clientSwitch(),
            server.at().switchId(),
            0,
            profile.expectedRequestBits());
    if (there == null) {
      return Optional.empty();
    }
    double latencyThere = (double) network.values().latencyNanos(there);
    @Nullable Path back =
        quickest(
            network,
            server.at().switchId(),
            request.clientSwitch(),
            latencyThere,
            profile.expectedReplyBits());
    if (back == null) {
      return Optional.empty();
    }
    double cost =
        networkNanos(network, there, back, profile) + serviceNanos(network, profile, server);
    return Optional.of(new Way(there, back, cost, 0, JointRule.load(network, server)));
  }

  /**
   * Of the known paths, the path with the shortest transfer time for the given bits; null if there
   * is none.
   */
  private static @Nullable Path quickest(
      NetworkSnapshot network, DatapathId src, DatapathId dst, double latencyBefore, double bits) {
    ImmutableList<Path> shortest = network.shortest(src, dst);
    @Nullable Path best = network.widest(src, dst).orElse(null);
    double min =
        best == null ? Double.POSITIVE_INFINITY : nanos(network, best, latencyBefore, bits);
    for (int i = 0; i < shortest.size(); i++) {
      double nanos = nanos(network, shortest.get(i), latencyBefore, bits);
      // the widest path is used only if it is better
      if (nanos < min || (i == 0 && nanos == min)) {
        min = nanos;
        best = shortest.get(i);
      }
    }
    return best;
  }

  private static double nanos(
      NetworkSnapshot network, Path path, double latencyBefore, double bits) {
    LinkValues values = network.values();
    return TransferTime.nanos(
        bits / 8, latencyBefore + values.latencyNanos(path), rateBps(values, path));
  }

  private static double rateBps(LinkValues values, Path path) {
    return Math.max(MIN_BPS, values.shareBps(path));
  }

  private static double networkNanos(
      NetworkSnapshot network, Path there, Path back, ServiceProfile profile) {
    return nanos(
            network,
            back,
            (double) network.values().latencyNanos(there),
            profile.expectedReplyBits())
        + profile.expectedRequestBits() * 1e9 / rateBps(network.values(), there);
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
      NetworkSnapshot network, Request request, Server server, Way way) {
    ServiceProfile profile = request.profile();
    double roundTrip = ShortestLatency.roundTripNanos(network, way.request(), way.reply());
    double onTheNetwork = networkNanos(network, way.request(), way.reply(), profile);
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
