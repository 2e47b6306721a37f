package io.malob.balancer;

/**
 * Counts of one member.
 *
 * @param activeConnections connections that are open now; see {@link IBalancerService#endsAreTold}
 *     for when they cease to be
 * @param totalConnections connections that were ever placed on the member
 * @param located whether the network knows where the member is attached
 */
public record MemberStats(long activeConnections, long totalConnections, boolean located) {}
