package io.malob.algorithm.joint;

import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.estimate.TransferTime;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;

/** How long the network takes for a connection, at the current loads of links. Pure. */
public final class NetworkTime {
  /** A share of 0 would make all paths equally bad, with an infinite time. */
  private static final double MIN_BPS = 1;

  private NetworkTime() {}

  /**
   * The time for the typical traffic of a service over two paths, in nanoseconds. A link of unknown
   * latency or throughput counts as the worst known one.
   */
  public static double nanos(LinkValues values, Path request, Path reply, ServiceProfile profile) {
    return nanos(
        values, request, reply, profile.expectedRequestBits(), profile.expectedReplyBits());
  }

  /** The same for given bits on the wire. */
  static double nanos(
      LinkValues values, Path request, Path reply, double requestBits, double replyBits) {
    return transferNanos(values, reply, (double) values.latencyNanos(request), replyBits)
        + requestBits * 1e9 / rateBps(values, request);
  }

  /**
   * The time of a transfer over one path.
   *
   * @param latencyBefore the latency of the way there, in nanoseconds
   */
  static double transferNanos(LinkValues values, Path path, double latencyBefore, double bits) {
    return TransferTime.nanos(
        bits / 8, latencyBefore + values.latencyNanos(path), rateBps(values, path));
  }

  private static double rateBps(LinkValues values, Path path) {
    return Math.max(MIN_BPS, values.shareBps(path));
  }
}
