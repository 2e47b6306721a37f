package io.malob.balancer.api;

import io.malob.algorithm.health.Health;
import java.util.OptionalInt;

/**
 * Counts of one member.
 *
 * @param activeConnections connections that are open now; see {@link IBalancerService#endsAreTold}
 *     for when they cease to be
 * @param totalConnections connections that were ever placed on the member
 * @param reportedConnections what the member's agent has reported of its port lately
 * @param foreignConnections those of them that did not come through a VIP
 * @param located whether the network knows where the member is attached
 * @param health what checks of it have shown
 * @param share the part of its full share that it gets, from above 0 to 1; see the pool's slow
 *     start
 */
public record MemberStats(
    long activeConnections,
    long totalConnections,
    OptionalInt reportedConnections,
    int foreignConnections,
    boolean located,
    Health health,
    double share) {

  /** The counts of a member without a monitor. */
  public MemberStats(
      long activeConnections,
      long totalConnections,
      OptionalInt reportedConnections,
      int foreignConnections,
      boolean located) {
    this(
        activeConnections,
        totalConnections,
        reportedConnections,
        foreignConnections,
        located,
        Health.UNCHECKED,
        1);
  }

  /** The counts of a member that never got a connection, and has not been reported of. */
  public static MemberStats unknown(boolean located) {
    return new MemberStats(0, 0, OptionalInt.empty(), 0, located);
  }
}
