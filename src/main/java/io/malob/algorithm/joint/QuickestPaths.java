package io.malob.algorithm.joint;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The paths on which the network takes the shortest time for the typical traffic of a service, of
 * the paths with the lowest latency and the widest one, separately for each direction. Pure.
 *
 * @param request from client to server
 * @param reply from server to client
 * @param nanos how long the network takes
 */
record QuickestPaths(Path request, Path reply, double nanos) {

  /**
   * The paths between a client's switch and a server's; empty if there are none.
   *
   * @param times how many times as much as the typical traffic is to be transferred
   */
  static Optional<QuickestPaths> between(
      NetworkSnapshot network,
      DatapathId client,
      DatapathId server,
      ServiceProfile profile,
      double times) {
    double requestBits = times * profile.expectedRequestBits();
    @Nullable Path request = quickest(network, client, server, 0, requestBits);
    if (request == null) {
      return Optional.empty();
    }
    LinkValues values = network.values();
    double replyBits = times * profile.expectedReplyBits();
    @Nullable Path reply =
        quickest(network, server, client, (double) values.latencyNanos(request), replyBits);
    if (reply == null) {
      return Optional.empty();
    }
    return Optional.of(
        new QuickestPaths(
            request, reply, NetworkTime.nanos(values, request, reply, requestBits, replyBits)));
  }

  /**
   * How long the network takes at other loads of links.
   *
   * @param times as in {@link #between}
   */
  double nanos(LinkValues values, ServiceProfile profile, double times) {
    return NetworkTime.nanos(
        values,
        request,
        reply,
        times * profile.expectedRequestBits(),
        times * profile.expectedReplyBits());
  }

  private static @Nullable Path quickest(
      NetworkSnapshot network, DatapathId src, DatapathId dst, double latencyBefore, double bits) {
    LinkValues values = network.values();
    ImmutableList<Path> shortest = network.shortest(src, dst);
    @Nullable Path best = network.widest(src, dst).orElse(null);
    double min =
        best == null
            ? Double.POSITIVE_INFINITY
            : NetworkTime.transferNanos(values, best, latencyBefore, bits);
    for (int i = 0; i < shortest.size(); i++) {
      double nanos = NetworkTime.transferNanos(values, shortest.get(i), latencyBefore, bits);
      // the widest path is used only if it is better
      if (nanos < min || (i == 0 && nanos == min)) {
        min = nanos;
        best = shortest.get(i);
      }
    }
    return best;
  }
}
