package io.malob.algorithm.move;

import io.malob.algorithm.graph.Path;

/**
 * One direction of a connection that carries much for long.
 *
 * @param path where it goes now
 * @param bps what it carries, in bit/s
 * @param isMovable whether it may be led over another path now; if not, it counts all the same
 */
public record Flow(Path path, double bps, boolean isMovable) {}
