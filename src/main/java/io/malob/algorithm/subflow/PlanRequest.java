package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * A request for a plan.
 *
 * @param topology connected, each link in both directions
 * @param demands each identity once
 * @param egresses the switches that every route has to reach, but for its own ingress, and except
 *     where detours are cut
 * @param traffic the egress switches of sub-flows, to count only the links that they travel; empty
 *     to count whole routes
 * @param capacities how much each link carries, in any unit, the same for all; a missing link
 *     counts as 1
 * @param background the background loads of links, in sub-flows; a missing link has none
 * @param previous the routes in use, which are kept if possible
 * @param maxDetour the max number of links of a sub-flow on a Hamiltonian path beyond the fewest
 *     possible; empty for no limit
 * @param seed the same gives the same plan
 */
public record PlanRequest(
    Topology topology,
    ImmutableList<Demand> demands,
    ImmutableSortedSet<DatapathId> egresses,
    Method method,
    Optional<Traffic> traffic,
    ImmutableMap<UndirectedLink, Double> capacities,
    ImmutableMap<UndirectedLink, Double> background,
    ImmutableList<Route> previous,
    OptionalInt maxDetour,
    long seed) {

  /** How routes are chosen. */
  public enum Method {
    /** Short paths, edge-disjoint as far as possible. */
    DISJOINT,
    /**
     * Hamiltonian paths, or trees if there are none: the smallest maximum of sub-flows per link,
     * then the smallest spread.
     */
    BALANCED,
    /** Hamiltonian paths by algorithm 1 and section III.B of the paper. */
    PAPER
  }

  /**
   * Checks numbers.
   *
   * @throws IllegalArgumentException if an identity comes twice, or a number is out of its range
   */
  public PlanRequest {
    Set<FlowIdentity> identities = new HashSet<>();
    for (Demand demand : demands) {
      if (!identities.add(demand.identity())) {
        throw new IllegalArgumentException(demand.identity() + " comes twice");
      }
    }
    capacities.forEach((link, capacity) -> check(capacity > 0, "capacity", link, capacity));
    background.forEach((link, load) -> check(load >= 0, "load", link, load));
  }

  private static void check(boolean isInRange, String name, UndirectedLink link, double value) {
    if (!(isInRange && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("the " + name + " of " + link + " is " + value);
    }
  }
}
