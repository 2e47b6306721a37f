package io.malob.balancer.proactive;

/** The states of a client edge. */
enum EdgeState {
  /** All packets that open connections go to the controller. */
  REACTIVE,
  /** As before, while paths and the members' sides are prepared. */
  PREPARING,
  /** The switch has the buckets. */
  PROACTIVE,
  /** All buckets send their packets to the controller, before the edge becomes reactive. */
  LEAVING
}
