package io.malob.balancer.reroute;

/**
 * Which flows are led over other paths, and when.
 *
 * @param lookNanos how often it is looked for them; 0 for never
 * @param bytes how much a flow must have carried
 * @param gain how many times wider the share of another path must be
 * @param movesPerSecond how many are moved at most
 * @param maxRules a switch at which more connections begin is not asked for what each has carried
 */
public record LongFlowSettings(
    long lookNanos, long bytes, double gain, int movesPerSecond, int maxRules) {}
