package io.malob.balancer.api;

import io.malob.algorithm.health.Health;
import java.util.OptionalInt;

/**
 * Counts of one member.
 *
 * @param activeConnections connections that are open now, including the estimated ones; {@link
 *     IBalancerService#endsAreTold} says when the others cease to count
 * @param totalConnections all connections that were placed on the member, including those that
 *     switches have placed, by estimate
 * @param reportedConnections the connections of its port in the agent's latest valid report
 * @param estimatedConnections the open connections that switches have placed without the
 *     controller, by estimate
 * @param foreignConnections the reported connections that did not come through a VIP
 * @param located whether the member's attachment is known
 * @param health its health
 * @param share the fraction of its full share that it gets, above 0 and up to 1; below 1 in slow
 *     start
 */
public record MemberStats(
    long activeConnections,
    long totalConnections,
    OptionalInt reportedConnections,
    int estimatedConnections,
    int foreignConnections,
    boolean located,
    Health health,
    double share) {

  /** The counts of a member without connections and without a report. */
  public static MemberStats unknown(boolean located) {
    return new MemberStats(0, 0, OptionalInt.empty(), 0, 0, located, Health.UNCHECKED, 1);
  }
}
