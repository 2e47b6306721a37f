package io.malob.algorithm.subflow;

/**
 * An identity that needs a route.
 *
 * @param subflows how many source addresses send by it, each one sub-flow per connection; at least
 *     1
 */
public record Demand(FlowIdentity identity, int subflows) {
  public Demand {
    if (subflows < 1) {
      throw new IllegalArgumentException("a demand has at least one sub-flow, not " + subflows);
    }
  }
}
