package io.malob.algorithm.subflow;

/**
 * Plans a route for each identity, so that links carry about the same number of sub-flows. Pure:
 * the same request gives the same plan. The work is bounded by steps, not by time.
 */
public interface SubflowPlanner {

  /**
   * Plans.
   *
   * @throws UnplannableException if the network is partitioned, or a switch or link of the request
   *     does not exist
   */
  SubflowPlan plan(PlanRequest request) throws UnplannableException;
}
