package io.malob.balancer.api;

import io.malob.balancer.connection.HalfOpenLimit;

/**
 * Counts of a VIP's connections.
 *
 * @param activeConnections the number of open connections, including the estimated ones
 * @param estimatedConnections the open connections that switches have placed without the
 *     controller, by estimate
 * @param halfOpenConnections the number of connections of which only the first packet is known
 * @param halfOpenLimit the max number of half-open connections; further ones are dropped
 */
public record VipStats(
    int activeConnections, int estimatedConnections, int halfOpenConnections, int halfOpenLimit) {
  /** The counts of a VIP without connections. */
  public static final VipStats NONE = new VipStats(0, 0, 0, 0);

  /** Whether the number of half-open connections is so high that their rules expire sooner. */
  public boolean isCrowded() {
    return halfOpenConnections >= Math.max(1, halfOpenLimit / HalfOpenLimit.MANY);
  }
}
