package io.malob.module;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.topology.ITopologyService;
import org.projectfloodlight.openflow.types.DatapathId;

/** The discovered links, in the form for algorithms. */
public final class FoundLinks {
  private FoundLinks() {}

  /** The active switches, and the links between them. */
  public static Topology between(IOFSwitchService switches, ITopologyService topology) {
    return Topology.of(
        switches.getAllSwitchDpids().stream()
            .filter(switchId -> switches.getActiveSwitch(switchId) != null)
            .toList(),
        of(topology));
  }

  /**
   * The links that begin at active switches, and their ends: of a link to another controller's
   * switch, one direction.
   */
  public static Topology fromActive(IOFSwitchService switches, ITopologyService topology) {
    Set<DatapathId> ends = new HashSet<>(between(switches, topology).switches());
    List<DirectedLink> links =
        of(topology).stream()
            .filter(link -> switches.getActiveSwitch(link.src()) != null)
            .filter(link -> switches.getSwitch(link.dst()) != null)
            .toList();
    links.forEach(link -> ends.add(link.dst()));
    return Topology.of(ends, links);
  }

  /** All of them, each direction for itself. */
  public static Set<DirectedLink> of(ITopologyService topology) {
    Set<DirectedLink> links = new HashSet<>();
    topology
        .getAllLinks()
        .values()
        .forEach(ofSwitch -> ofSwitch.forEach(link -> links.add(of(link))));
    return links;
  }

  /** One of them. */
  public static DirectedLink of(Link link) {
    return new DirectedLink(link.getSrc(), link.getSrcPort(), link.getDst(), link.getDstPort());
  }
}
