package io.malob.state.network;

/**
 * The lifetimes of measurements, in nanoseconds.
 *
 * @param latencyNanos of link latencies
 * @param agentThroughputNanos of throughputs that agents have measured
 * @param portStatisticsNanos of port statistics
 * @param serverNanos of reports of server agents
 */
public record TimesToLive(
    long latencyNanos, long agentThroughputNanos, long portStatisticsNanos, long serverNanos) {}
