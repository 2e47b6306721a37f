package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * A request for a plan.
 *
 * @param hosts empty for all that the controller has seen
 * @param network the network to plan for; empty for the network that the controller sees
 */
record MptcpRequest(
    PlanSettings settings,
    Optional<ImmutableList<GivenHost>> hosts,
    Optional<GivenNetwork> network) {

  /**
   * A network in a request.
   *
   * @param names of its switches
   * @param capacities of its links, in Mbit/s, if given
   */
  record GivenNetwork(
      Topology topology,
      ImmutableSortedMap<DatapathId, String> names,
      ImmutableMap<UndirectedLink, Double> capacities) {}
}
