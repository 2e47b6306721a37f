package io.malob.algorithm.graph;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The known values of one direction of a link.
 *
 * @param latencyNanos its one-way latency; empty if unknown
 * @param throughputBps its measured free capacity for a new connection, in bit/s; empty if unknown
 * @param capacityBps its capacity, in bit/s; empty if unknown
 */
public record LinkValue(
    OptionalLong latencyNanos, OptionalDouble throughputBps, OptionalDouble capacityBps) {

  /** Nothing is known. */
  public static final LinkValue UNKNOWN =
      new LinkValue(OptionalLong.empty(), OptionalDouble.empty(), OptionalDouble.empty());
}
