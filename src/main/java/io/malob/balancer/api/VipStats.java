package io.malob.balancer.api;

import io.malob.balancer.connection.HalfOpenLimit;

/**
 * What is open at a VIP.
 *
 * @param activeConnections how many connections are open
 * @param halfOpenConnections of how many nothing but the first packet has been heard
 * @param halfOpenLimit how many of these there may be; further ones are dropped
 */
public record VipStats(int activeConnections, int halfOpenConnections, int halfOpenLimit) {
  /** Whether there are so many half open ones that their rules end sooner. */
  public boolean isCrowded() {
    return halfOpenConnections >= Math.max(1, halfOpenLimit / HalfOpenLimit.MANY);
  }
}
