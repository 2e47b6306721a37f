package io.malob.algorithm.graph;

/** The criterion by which one path between two switches is better than another. */
public enum PathOrder {
  /** Fewer links; of these, the lower latency. */
  FEWEST_HOPS,
  /** The lower sum of latencies; of these, fewer links. */
  LOWEST_LATENCY,
  /** The wider bottleneck for a new connection; of these, as {@link #LOWEST_LATENCY}. */
  WIDEST
}
