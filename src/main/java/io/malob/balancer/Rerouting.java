package io.malob.balancer;

import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.move.LinkState;
import io.malob.balancer.Housekeeping.Task;
import io.malob.balancer.reroute.LongFlowFinder;
import io.malob.balancer.reroute.LongFlowSettings;
import io.malob.balancer.reroute.LongFlows;
import io.malob.balancer.reroute.PathMover;
import io.malob.balancer.reroute.PreparedLabels;
import io.malob.module.FoundLinks;
import io.malob.module.IRelayService;
import io.malob.openflow.label.LabelledPath;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.Measurement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Changes of paths: follows the topology, reroutes or closes the connections on broken paths,
 * prepares paths for that, and moves long flows.
 */
final class Rerouting {
  private static final long POLL_MILLIS = 1_000;

  final LongFlows longFlows;
  final Task repairPaths;
  final Task preparePaths;

  private final BalancerContext context;
  private final Viewing viewing;
  private final Connecting connecting;
  private final Clustered clustered;

  /** The usable switches of the latest topology. */
  private Set<DatapathId> taken = Set.of();

  Rerouting(BalancerContext context, Viewing viewing, Connecting connecting, Clustered clustered)
      throws FloodlightModuleException {
    this.context = context;
    this.viewing = viewing;
    this.connecting = connecting;
    this.clustered = clustered;
    LongFlowSettings settings = LongFlowSettings.read(context.settings);
    longFlows =
        new LongFlows(
            new LongFlowFinder(connecting.connections, settings),
            new PathMover(
                connecting.connections,
                viewing.labels,
                connecting.ruleSender,
                context.serialExecutor,
                context.nanoTime),
            viewing.labels,
            context.switches,
            () -> viewing.view.get().network().topology(),
            this::linkStates,
            context.serialExecutor,
            context.nanoTime);
    repairPaths = new Task("repairing paths", this::repair);
    PreparedLabels prepared =
        new PreparedLabels(viewing.labels, context.devices, viewing.coreAccess, context.unowned);
    preparePaths = new Task("preparing paths", () -> prepared.refresh(viewing.view.get()));
  }

  /** Adds the periodic tasks. */
  void schedule() {
    context.housekeeping.tidying(
        repairPaths,
        preparePaths,
        new Task("sweeping labels", () -> viewing.labels.sweep(clustered::holds)));
    context.repetition.every(POLL_MILLIS, "polling for long flows", longFlows::tick);
  }

  /** The links whose capacity and utilization are known and not too old. */
  private Map<DirectedLink, LinkState> linkStates() {
    Map<DirectedLink, LinkState> states = new HashMap<>();
    for (Map.Entry<DirectedLink, LinkMeasurements> each :
        context.monitor.links().snapshotOfAll(context.monitor.nanoTime()).entrySet()) {
      @Nullable Measurement use = each.getValue().useBps();
      if (use != null) {
        context
            .monitor
            .capacity(each.getKey())
            .ifPresent(
                capacity ->
                    states.put(
                        each.getKey(), new LinkState(capacity.bitsPerSecond(), use.value())));
      }
    }
    return states;
  }

  /** Takes over the present topology. */
  void takeTopology() {
    taken = usableSwitches();
    viewing.view.setTopology(Topology.of(taken, FoundLinks.of(context.topology)));
  }

  /**
   * The switches that this controller is master of and whose connections are known. Unless there is
   * none, so that it stands by, also those whose masters write its rules.
   */
  private Set<DatapathId> usableSwitches() {
    Set<DatapathId> all = context.switches.getAllSwitchDpids();
    Set<DatapathId> usable = new TreeSet<>(all);
    usable.removeIf(
        id -> !viewing.readSwitches.isUsable(id) || context.switches.getActiveSwitch(id) == null);
    @Nullable IRelayService present = context.relay;
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
        context.unowned.mayExist()
            && context.switches.getAllSwitchDpids().stream().anyMatch(context.unowned);
    return isShared
        ? Topology.of(context.switches.getAllSwitchDpids(), FoundLinks.of(context.topology))
        : network.topology();
  }

  /**
   * Reroutes connections on broken paths, or closes them if there is no other path. A path over a
   * switch out of control stays if there is no other one, because the switch continues to forward.
   * All broken paths stay while an outage may end soon, or while hosts move.
   */
  private void repair() {
    NetworkSnapshot network = viewing.view.get().network().searchingAtOnce();
    Set<LabelledPath> lost = new HashSet<>();
    Runnable retry = () -> context.housekeeping.submit("repairing paths", this::repair);
    for (LabelledPath labelled :
        viewing.labels.repair(
            forwarding(network), network::lowestLatency, retry, clustered::holds)) {
      if (network.topology().switches().containsAll(labelled.path().switches())) {
        lost.add(labelled);
      }
    }
    if (!lost.isEmpty() && !viewing.outages.mayHeal() && !connecting.relocations.isBusy()) {
      connecting.resetter.close(
          connecting.connections.findWithRules(connection -> connection.uses(lost)));
    }
  }
}
