package io.malob.balancer;

/**
 * Counts of one member.
 *
 * @param activeConnections connections that are open now; they end on these counts when their rules
 *     time out on the switch
 * @param totalConnections connections that were ever placed on the member
 * @param located whether the network knows where the member is attached
 */
public record MemberStats(long activeConnections, long totalConnections, boolean located) {}
