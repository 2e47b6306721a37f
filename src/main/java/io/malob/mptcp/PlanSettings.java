package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.subflow.PlanRequest;
import io.malob.openflow.IpFamily;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The settings of a plan.
 *
 * @param perVlan whether each VLAN has routes of its own (VS in the paper), or all share them
 *     (NVS); empty for the first if any host has a VLAN
 * @param vlans the VLANs to plan for; empty for all that hosts have
 * @param travelled whether sub-flows count only on the links that they travel
 * @param traffic the pairs of sender and receiver; empty for all pairs in the same VLAN
 * @param maxDetour the max number of links of a sub-flow beyond the fewest possible; empty for no
 *     limit
 * @param family of the addresses of its hosts
 * @param seed the same gives the same plan
 */
record PlanSettings(
    PlanRequest.Method method,
    Optional<Boolean> perVlan,
    ImmutableSortedSet<Integer> vlans,
    boolean travelled,
    ImmutableList<Pair> traffic,
    Weights weights,
    OptionalInt maxDetour,
    IpFamily family,
    long seed) {

  /** The same, with another method. */
  PlanSettings by(PlanRequest.Method other) {
    return new PlanSettings(
        other, perVlan, vlans, travelled, traffic, weights, maxDetour, family, seed);
  }

  /** The weights of links. */
  enum Weights {
    /** Nothing. */
    NONE,
    /** Their capacities. */
    CAPACITY,
    /** Their free capacities. */
    LOAD
  }

  /** A pair of sender and receiver, by their ids. */
  record Pair(String from, String to, double weight) {}
}
