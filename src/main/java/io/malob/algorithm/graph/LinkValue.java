package io.malob.algorithm.graph;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What is known of one direction of a link.
 *
 * @param latencyNanos its one-way latency; empty if unknown
 * @param throughputBps what a new connection would get of it, in bit/s; empty if unknown
 */
public record LinkValue(OptionalLong latencyNanos, OptionalDouble throughputBps) {

  /** Nothing is known. */
  public static final LinkValue UNKNOWN =
      new LinkValue(OptionalLong.empty(), OptionalDouble.empty());
}
