package io.malob.state.network;

/**
 * After how many nanoseconds a measurement counts as unknown.
 *
 * @param latencyNanos of link latencies
 * @param agentThroughputNanos of throughputs that agents have measured
 * @param portStatisticsNanos of what port statistics tell
 * @param serverNanos of what server agents report
 */
public record TimesToLive(
    long latencyNanos, long agentThroughputNanos, long portStatisticsNanos, long serverNanos) {}
