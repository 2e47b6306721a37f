package io.malob.simulation.subflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.simulation.model.LabNetwork;
import java.util.List;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * The paths of a plan of sub-flows: branches by source address; a packet takes the first branch
 * that contains its egress switch, and leaves it there. Immutable.
 */
public final class PlannedPaths implements SubflowPaths {
  private final LabNetwork network;
  private final ImmutableMap<IPv4Address, ImmutableList<ImmutableList<DatapathId>>> branches;

  private PlannedPaths(
      LabNetwork network,
      ImmutableMap<IPv4Address, ImmutableList<ImmutableList<DatapathId>>> branches) {
    this.network = network;
    this.branches = branches;
  }

  /**
   * The paths of an answer to {@code POST /wm/malob/mptcp/plan}.
   *
   * @param answer names switches by datapath id, or as the network does
   * @throws IllegalArgumentException if it has no paths, or names an unknown switch
   */
  public static PlannedPaths of(LabNetwork network, JsonNode answer) {
    if (!answer.path("paths").isArray()) {
      throw new IllegalArgumentException("the plan has no array 'paths'");
    }
    ImmutableMap.Builder<IPv4Address, ImmutableList<ImmutableList<DatapathId>>> branches =
        ImmutableMap.builder();
    for (JsonNode planned : answer.path("paths")) {
      ImmutableList.Builder<ImmutableList<DatapathId>> paths = ImmutableList.builder();
      for (JsonNode branch : planned.path("branches")) {
        paths.add(switches(network, branch));
      }
      branches.put(IPv4Address.of(planned.path("address").asText()), paths.build());
    }
    return new PlannedPaths(network, branches.buildOrThrow());
  }

  private static ImmutableList<DatapathId> switches(LabNetwork network, JsonNode names) {
    ImmutableList.Builder<DatapathId> switches = ImmutableList.builder();
    for (JsonNode name : names) {
      switches.add(
          network
              .switchNamed(name.asText())
              .orElseThrow(
                  () ->
                      new IllegalArgumentException("the plan's switch " + name + " is not there")));
    }
    return switches.build();
  }

  @Override
  public Path of(IPv4Address source, DatapathId ingress, DatapathId egress) {
    if (ingress.equals(egress)) {
      return Path.within(ingress);
    }
    for (List<DatapathId> branch : branches.getOrDefault(source, ImmutableList.of())) {
      int end = branch.indexOf(egress);
      if (end >= 0 && branch.get(0).equals(ingress)) {
        return path(branch.subList(0, end + 1));
      }
    }
    throw new IllegalArgumentException(
        "the plan has no path from " + source + " on " + ingress + " to " + egress);
  }

  private Path path(List<DatapathId> switches) {
    ImmutableList.Builder<DirectedLink> links = ImmutableList.builder();
    for (int at = 0; at + 1 < switches.size(); at++) {
      ImmutableList<DirectedLink> between =
          network.topology().linksBetween(switches.get(at), switches.get(at + 1));
      if (between.isEmpty()) {
        throw new IllegalArgumentException(
            "the plan goes from "
                + switches.get(at)
                + " to "
                + switches.get(at + 1)
                + ", where there is no link");
      }
      links.add(between.get(0));
    }
    return new Path(switches.get(0), links.build());
  }
}
