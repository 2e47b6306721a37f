package io.malob.algorithm.subflow;

/**
 * An identity that needs a route.
 *
 * @param subflows how many source addresses send by it, each one sub-flow per connection; at least
 *     1
 * @param isComplete whether its route has to reach all egress switches, even if a limit of detours
 *     cuts it
 */
public record Demand(FlowIdentity identity, int subflows, boolean isComplete) {
  /** A demand whose route has to reach all egress switches. */
  public Demand(FlowIdentity identity, int subflows) {
    this(identity, subflows, true);
  }

  public Demand {
    if (subflows < 1) {
      throw new IllegalArgumentException("a demand has at least one sub-flow, not " + subflows);
    }
  }
}
