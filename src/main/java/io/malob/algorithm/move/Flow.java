package io.malob.algorithm.move;

import io.malob.algorithm.graph.Path;

/**
 * One direction of a long flow.
 *
 * @param path its current path
 * @param bps its rate, in bit/s
 * @param isMovable whether it may be rerouted now; if not, it still counts
 */
public record Flow(Path path, double bps, boolean isMovable) {}
