package io.malob.algorithm.move;

/**
 * One direction of a link, as it was measured.
 *
 * @param capacityBps what it can carry, in bit/s; positive
 * @param useBps what it carries, in bit/s, the flows that could be moved included
 */
public record LinkState(double capacityBps, double useBps) {}
