package io.malob.algorithm.graph;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What is known of one direction of a link.
 *
 * @param latencyNanos its one-way latency; empty if unknown
 * @param throughputBps what was left of it for a new connection when that was measured, in bit/s;
 *     empty if unknown
 * @param capacityBps what it can carry in all, in bit/s; empty if unknown
 */
public record LinkValue(
    OptionalLong latencyNanos, OptionalDouble throughputBps, OptionalDouble capacityBps) {

  /** Nothing is known. */
  public static final LinkValue UNKNOWN =
      new LinkValue(OptionalLong.empty(), OptionalDouble.empty(), OptionalDouble.empty());
}
