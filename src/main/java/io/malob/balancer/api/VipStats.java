package io.malob.balancer.api;

import io.malob.balancer.connection.HalfOpenLimit;

/**
 * Counts of a VIP's connections.
 *
 * @param activeConnections the number of open connections
 * @param halfOpenConnections the number of connections of which only the first packet is known
 * @param halfOpenLimit the max number of half-open connections; further ones are dropped
 */
public record VipStats(int activeConnections, int halfOpenConnections, int halfOpenLimit) {
  /** Whether the number of half-open connections is so high that their rules expire sooner. */
  public boolean isCrowded() {
    return halfOpenConnections >= Math.max(1, halfOpenLimit / HalfOpenLimit.MANY);
  }
}
