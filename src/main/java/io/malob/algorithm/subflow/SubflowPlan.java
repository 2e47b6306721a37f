package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.malob.algorithm.graph.UndirectedLink;

/**
 * A route for each identity, and what links carry then.
 *
 * @param routes in the order of the demands
 * @param loads sub-flows per link, both directions together, for all links, also unused ones: whole
 *     numbers unless the links that they really travel are counted; without what links carry anyway
 * @param maximum the largest load with what the link carries anyway, divided by capacity where
 *     capacities were given
 * @param minimum the smallest, likewise
 * @param provenOptimal whether no plan has a smaller maximum, and none with that maximum a smaller
 *     spread (maximum less minimum)
 * @param proof what proves it, or why it is not proven, in a sentence, for people
 */
public record SubflowPlan(
    ImmutableList<Route> routes,
    ImmutableSortedMap<UndirectedLink, Double> loads,
    double maximum,
    double minimum,
    boolean provenOptimal,
    String proof) {

  /** How far the loads of links are apart. */
  public double spread() {
    return maximum - minimum;
  }
}
