package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.subflow.PlanRequest;
import java.util.Optional;

/**
 * How a plan is to be made.
 *
 * @param perVlan whether each VLAN has routes of its own (VS in the paper), or all share them
 *     (NVS); empty for the first if any host has a VLAN
 * @param vlans the VLANs to plan for; empty for all that hosts have
 * @param travelled whether only the links that sub-flows really travel are counted
 * @param traffic who sends to whom; empty for everybody to everybody in the same VLAN
 * @param seed the same gives the same plan
 */
record PlanSettings(
    PlanRequest.Method method,
    PlanRequest.PathKind paths,
    Optional<Boolean> perVlan,
    ImmutableSortedSet<Integer> vlans,
    boolean travelled,
    ImmutableList<Pair> traffic,
    Weights weights,
    long seed) {

  /** What makes links count differently. */
  enum Weights {
    /** Nothing. */
    NONE,
    /** How much they can carry. */
    CAPACITY,
    /** How much of that is left. */
    LOAD
  }

  /** One host sends to another, by their ids. */
  record Pair(String from, String to, double weight) {}
}
