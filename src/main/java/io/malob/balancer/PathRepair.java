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
import io.malob.module.IRelayService;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
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
  private final @Nullable IRelayService relay;
  private final Predicate<LabelledPath> isOthers;
  private final BooleanSupplier isMoving;

  /** The usable switches of the latest topology. */
  private Set<DatapathId> taken = Set.of();

  /**
   * Repairs paths.
   *
   * @param relay null without a cluster
   * @param isOthers whether another controller repairs a label
   * @param isMoving whether connections may get other paths because their hosts have moved
   */
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
      ITopologyService topology,
      @Nullable IRelayService relay,
      Predicate<LabelledPath> isOthers,
      BooleanSupplier isMoving) {
    this.isMoving = isMoving;
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
    this.relay = relay;
    this.isOthers = isOthers;
  }

  /** Takes over the present topology. */
  void takeTopology() {
    taken = usableSwitches();
    view.setTopology(Topology.of(taken, FoundLinks.of(topology)));
  }

  /**
   * The switches that this controller is master of and whose connections are known. Unless there is
   * none, so that it stands by, also those whose masters write its rules.
   */
  private Set<DatapathId> usableSwitches() {
    Set<DatapathId> all = switches.getAllSwitchDpids();
    Set<DatapathId> usable = new TreeSet<>(all);
    usable.removeIf(id -> !readSwitches.isUsable(id) || switches.getActiveSwitch(id) == null);
    @Nullable IRelayService present = relay;
    if (present != null && !usable.isEmpty()) {
      all.stream().filter(id -> present.find(id).isPresent()).forEach(usable::add);
    }
    return usable;
  }

  /** Whether the usable switches differ from those of the latest topology. */
  boolean isOutdated() {
    return !usableSwitches().equals(taken);
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
   * All broken paths stay while an outage may end soon, or while hosts move.
   */
  void repair() {
    NetworkSnapshot network = view.get().network().searchingAtOnce();
    Set<LabelledPath> lost = new HashSet<>();
    Runnable retry = () -> housekeeping.submit("repairing paths", this::repair);
    for (LabelledPath labelled :
        labels.repair(forwarding(network), network::lowestLatency, retry, isOthers)) {
      if (network.topology().switches().containsAll(labelled.path().switches())) {
        lost.add(labelled);
      }
    }
    if (!lost.isEmpty() && !outages.mayHeal() && !isMoving.getAsBoolean()) {
      resetter.close(connections.findWithRules(connection -> connection.uses(lost)));
    }
  }
}
