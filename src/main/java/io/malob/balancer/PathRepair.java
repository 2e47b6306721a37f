package io.malob.balancer;

import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.admission.ConnectionResetter;
import io.malob.balancer.admission.SwitchOutages;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.ForeignSwitches;
import io.malob.balancer.recovery.ReadSwitches;
import io.malob.balancer.view.ViewWriter;
import io.malob.module.FoundLinks;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.topology.ITopologyService;
import org.projectfloodlight.openflow.types.DatapathId;

/** Follows the topology, and reroutes or closes the connections on broken paths. */
final class PathRepair {
  private final Housekeeping housekeeping;
  private final ViewWriter view;
  private final LabelTable labels;
  private final ConnectionTable connections;
  private final ConnectionResetter resetter;
  private final SwitchOutages outages;
  private final ReadSwitches readSwitches;
  private final IOFSwitchService switches;
  private final ForeignSwitches foreign;
  private final ITopologyService topology;

  PathRepair(
      Housekeeping housekeeping,
      ViewWriter view,
      LabelTable labels,
      ConnectionTable connections,
      ConnectionResetter resetter,
      SwitchOutages outages,
      ReadSwitches readSwitches,
      IOFSwitchService switches,
      ForeignSwitches foreign,
      ITopologyService topology) {
    this.housekeeping = housekeeping;
    this.view = view;
    this.labels = labels;
    this.connections = connections;
    this.resetter = resetter;
    this.outages = outages;
    this.readSwitches = readSwitches;
    this.switches = switches;
    this.foreign = foreign;
    this.topology = topology;
  }

  /** Takes over the present topology. */
  void takeTopology() {
    view.setTopology(Topology.of(usableSwitches(), FoundLinks.of(topology)));
  }

  /** The switches that this controller is master of and whose connections are known. */
  private List<DatapathId> usableSwitches() {
    return switches.getAllSwitchDpids().stream()
        .filter(readSwitches::isUsable)
        .filter(switchId -> switches.getActiveSwitch(switchId) != null)
        .toList();
  }

  /**
   * The switches and links that forward, whoever controls them: in a cluster, a path over a switch
   * of another controller is not broken. That includes switches which change their master.
   */
  private Topology forwarding(NetworkSnapshot network) {
    boolean isShared =
        foreign.mayExist() && switches.getAllSwitchDpids().stream().anyMatch(foreign);
    return isShared
        ? Topology.of(switches.getAllSwitchDpids(), FoundLinks.of(topology))
        : network.topology();
  }

  /**
   * Reroutes connections on broken paths, or closes them if there is no other path. A path over a
   * switch out of control stays if there is no other one, because the switch continues to forward.
   * All broken paths stay while an outage may end soon.
   */
  void repair() {
    NetworkSnapshot network = view.get().network().searchingAtOnce();
    Set<LabelledPath> lost = new HashSet<>();
    Runnable retry = () -> housekeeping.submit("repairing paths", this::repair);
    for (LabelledPath labelled :
        labels.repair(forwarding(network), network::lowestLatency, retry)) {
      if (network.topology().switches().containsAll(labelled.path().switches())) {
        lost.add(labelled);
      }
    }
    if (!lost.isEmpty() && !outages.mayHeal()) {
      resetter.close(connections.findWithRules(connection -> connection.uses(lost)));
    }
  }
}
