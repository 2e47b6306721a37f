package io.malob.algorithm.move;

/**
 * One direction of a link, as it was measured.
 *
 * @param capacityBps its capacity, in bit/s; positive
 * @param useBps its traffic in bit/s, including flows that could be moved
 */
public record LinkState(double capacityBps, double useBps) {}
