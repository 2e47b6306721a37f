package io.malob.algorithm.graph;

/** Why no path can cover the rest of a graph. */
enum Obstacle {
  /** No obvious obstacle. */
  NONE,
  /** A switch is not reached. */
  UNREACHED,
  /** There are two ends where a path would have to end. */
  DEAD_ENDS,
  /** A switch joins three parts or more, or two where the path begins. */
  JUNCTION,
  /** The switches have two colours, alternating, and there are too many of one of them. */
  COLOURS
}
