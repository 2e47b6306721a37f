package io.malob.module;

import io.malob.algorithm.graph.DirectedLink;
import java.util.HashSet;
import java.util.Set;
import net.floodlightcontroller.topology.ITopologyService;

/** The links that the controller has found, as algorithms see them. */
public final class FoundLinks {
  private FoundLinks() {}

  /** All of them, each direction for itself. */
  public static Set<DirectedLink> of(ITopologyService topology) {
    Set<DirectedLink> links = new HashSet<>();
    topology
        .getAllLinks()
        .values()
        .forEach(
            ofSwitch ->
                ofSwitch.forEach(
                    link ->
                        links.add(
                            new DirectedLink(
                                link.getSrc(),
                                link.getSrcPort(),
                                link.getDst(),
                                link.getDstPort()))));
    return links;
  }
}
