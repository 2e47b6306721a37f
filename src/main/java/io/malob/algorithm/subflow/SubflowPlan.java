package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.malob.algorithm.graph.UndirectedLink;

/**
 * A route for each identity, and the resulting loads of links.
 *
 * @param routes in the order of the demands
 * @param loads sub-flows per link, both directions together, for all links, also unused ones: whole
 *     numbers if whole routes are counted; without background loads
 * @param maximum the largest load with the background load, divided by capacity if capacities were
 *     given
 * @param minimum the smallest, likewise
 * @param provenOptimal whether no plan has a smaller maximum, and none with that maximum a smaller
 *     spread (maximum less minimum)
 * @param proof the proof, or why there is none, in a sentence
 */
public record SubflowPlan(
    ImmutableList<Route> routes,
    ImmutableSortedMap<UndirectedLink, Double> loads,
    double maximum,
    double minimum,
    boolean provenOptimal,
    String proof) {

  /** The plan of these routes, whose loads are counted. */
  public static SubflowPlan of(
      Network network,
      ImmutableList<Route> routes,
      Loads loads,
      boolean provenOptimal,
      String proof) {
    ImmutableSortedMap.Builder<UndirectedLink, Double> byLink = ImmutableSortedMap.naturalOrder();
    for (int edge = 0; edge < network.edgeCount(); edge++) {
      byLink.put(network.edges().get(edge), loads.load(edge));
    }
    Score score = loads.score();
    return new SubflowPlan(
        routes, byLink.build(), score.maximum(), score.minimum(), provenOptimal, proof);
  }

  /** How far the loads of links are apart. */
  public double spread() {
    return maximum - minimum;
  }
}
