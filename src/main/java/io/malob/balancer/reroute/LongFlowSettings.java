package io.malob.balancer.reroute;

/**
 * The settings for rerouting long flows.
 *
 * @param pollNanos the interval between polls; 0 for no polls
 * @param bytes the bytes that a long flow must have carried
 * @param gain the factor by which the share on another path must be larger
 * @param movesPerSecond the max number of moves per second
 * @param maxRules the max number of rules of a switch that is polled
 */
public record LongFlowSettings(
    long pollNanos, long bytes, double gain, int movesPerSecond, int maxRules) {}
