package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * What is to be planned.
 *
 * @param topology connected, each link in both directions
 * @param demands each identity once
 * @param egresses the switches that every route has to reach, but for its own ingress
 * @param traffic where sub-flows end, to count the links that they really travel; empty to count
 *     whole routes
 * @param capacities how much each link carries, in any unit, the same for all; a link that is not
 *     in it counts as 1
 * @param background what links carry anyway, in sub-flows; a link that is not in it carries nothing
 * @param previous routes that are in use, to be kept as far as they can be
 * @param seed the same gives the same plan
 */
public record PlanRequest(
    Topology topology,
    ImmutableList<Demand> demands,
    ImmutableSortedSet<DatapathId> egresses,
    Method method,
    PathKind paths,
    Optional<Traffic> traffic,
    ImmutableMap<UndirectedLink, Double> capacities,
    ImmutableMap<UndirectedLink, Double> background,
    ImmutableList<Route> previous,
    long seed) {

  /** How routes are chosen. */
  public enum Method {
    /** The smallest maximum of sub-flows per link, then the smallest spread. */
    BALANCED,
    /** As algorithm 1 and section III.B of the paper do it. */
    PAPER
  }

  /** What routes are wanted. */
  public enum PathKind {
    /** Hamiltonian paths, trees where there is none. */
    HAMILTONIAN,
    /** Short paths, edge-disjoint as far as possible. */
    DISJOINT
  }
}
