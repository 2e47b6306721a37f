package io.malob.balancer;

import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.health.Health;
import io.malob.balancer.admission.AclDropRules;
import io.malob.balancer.admission.Arrival;
import io.malob.balancer.admission.CatalogChange;
import io.malob.balancer.admission.ConnectionResetter;
import io.malob.balancer.admission.ConnectionTeardown;
import io.malob.balancer.admission.HostFinder;
import io.malob.balancer.admission.LimitWarnings;
import io.malob.balancer.admission.MissingHosts;
import io.malob.balancer.admission.Relocations;
import io.malob.balancer.admission.RequestHandler;
import io.malob.balancer.admission.SwitchOutages;
import io.malob.balancer.connection.AffinityTable;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.HostRuleCache;
import io.malob.balancer.health.HealthChecks;
import io.malob.balancer.recovery.ReadSwitches;
import io.malob.balancer.recovery.ReconcileRounds;
import io.malob.balancer.recovery.StateRecovery;
import io.malob.balancer.recovery.SwitchPreparation;
import io.malob.balancer.reroute.PreparedLabels;
import io.malob.balancer.view.ViewWriter;
import io.malob.module.AttachedHosts;
import io.malob.module.FoundLinks;
import io.malob.module.NetworkEvents;
import io.malob.module.Tasks;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Monitor;
import io.malob.state.catalog.Vip;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.topology.ITopologyService;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done besides handling packets: when the catalog, the topology, a host or a switch
 * changes, and when time passes. All of it runs in order, one thing at a time, on one executor and
 * never on a thread that reads from switches. It consists of named tasks that fail independently.
 */
final class Housekeeping implements NetworkEvents.Follower {
  private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

  private final Executor serialExecutor;
  private final Tasks tasks;

  /** How many changes of the topology are still to be looked at. */
  private final AtomicInteger topologyChanges = new AtomicInteger();

  /** Switches that have been there. By the executor's tasks alone. */
  private final Set<DatapathId> knownSwitches = new HashSet<>();

  private final ViewWriter view;
  private final RequestHandler requests;
  private final ConnectionTeardown teardown;
  private final AclDropRules aclDropRules;
  private final LimitWarnings limits;
  private final AffinityTable affinity;
  private final ConnectionResetter resetter;
  private final ConnectionTable connections;
  private final LabelTable labels;
  private final PreparedLabels preparedLabels;
  private final HostRuleCache hostRules;
  private final SwitchPreparation preparation;
  private final MissingHosts missingHosts;
  private final ReadSwitches readSwitches;
  private final ReconcileRounds reconcileRounds;
  private final StateRecovery stateRecovery;
  private final SwitchOutages outages;
  private final HealthChecks checks;
  private final Relocations relocations;
  private final IOFSwitchService switches;
  private final ITopologyService topology;

  Housekeeping(
      Executor serialExecutor,
      Tasks tasks,
      LongSupplier nanoTime,
      Parts parts,
      IOFSwitchService switches,
      ITopologyService topology,
      IDeviceService devices) {
    this.serialExecutor = serialExecutor;
    this.tasks = tasks;
    this.view = parts.view;
    this.requests = parts.requests;
    this.teardown = parts.teardown;
    this.aclDropRules = parts.aclDropRules;
    this.limits = parts.limits;
    this.affinity = parts.affinity;
    this.resetter = parts.resetter;
    this.connections = parts.connections;
    this.labels = parts.labels;
    this.preparedLabels = new PreparedLabels(parts.labels, devices);
    this.hostRules = parts.hostRules;
    this.preparation = parts.preparation;
    this.missingHosts = new MissingHosts(parts.hosts, nanoTime);
    this.readSwitches = parts.readSwitches;
    this.reconcileRounds = parts.reconcileRounds;
    this.stateRecovery = parts.stateRecovery;
    this.outages = parts.outages;
    this.checks = parts.checks;
    this.relocations = parts.relocations;
    this.switches = switches;
    this.topology = topology;
  }

  /** The parts of the balancer that need upkeep. */
  record Parts(
      ViewWriter view,
      RequestHandler requests,
      ConnectionTeardown teardown,
      AclDropRules aclDropRules,
      LimitWarnings limits,
      AffinityTable affinity,
      ConnectionResetter resetter,
      ConnectionTable connections,
      LabelTable labels,
      HostRuleCache hostRules,
      SwitchPreparation preparation,
      HostFinder hosts,
      ReadSwitches readSwitches,
      ReconcileRounds reconcileRounds,
      StateRecovery stateRecovery,
      SwitchOutages outages,
      HealthChecks checks,
      Relocations relocations) {}

  /** An operator has changed the catalog. The future ends when the change is in force. */
  CompletableFuture<Void> catalogChanged(CatalogSnapshot before, CatalogSnapshot after) {
    return CompletableFuture.runAsync(
        () -> {
          affinity.keep(
              after.pools().values().stream().anyMatch(pool -> pool.persistence() != null));
          checks.follow(before, after);
          view.setHealth(checks.health());
          view.setCatalog(after);
          Set<DatapathId> all = switches.getAllSwitchDpids();
          preparation.catalogChanged(before, after, all);
          CatalogChange change = new CatalogChange(before, after);
          closeConnections(change.endedVips(), change.endedMembers());
          if (change.isOfVips()) {
            aclDropRules.reconsider(all);
            change.denied().ifPresent(denied -> resetter.close(connections.find(denied)));
          }
          askForMissingMembers();
          stateRecovery.complete();
          requests.retryWaiting();
        },
        serialExecutor);
  }

  private void closeConnections(List<Vip> vips, List<Member> members) {
    if (vips.isEmpty() && members.isEmpty()) {
      return;
    }
    Set<Integer> vipNumbers = vips.stream().map(Vip::number).collect(Collectors.toSet());
    Set<Integer> memberNumbers = members.stream().map(Member::number).collect(Collectors.toSet());
    // what clients send misses from now on; what members send is carried until its turn comes
    preparation.removeRequests(vipNumbers, memberNumbers, switches.getAllSwitchDpids());
    resetter.close(
        connections.find(
            connection ->
                vipNumbers.contains(connection.vipNumber())
                    || memberNumbers.contains(connection.server().number())));
  }

  /** Links or switches have come or gone. Of several that wait, the last sees them all. */
  @Override
  public void topologyChanged() {
    topologyChanges.incrementAndGet();
    serialExecutor.execute(
        () -> {
          if (topologyChanges.decrementAndGet() > 0) {
            return;
          }
          tasks.run("taking over the topology", this::takeTopology);
          tasks.run("repairing paths", this::repairPaths);
          tasks.run("locating members", view::refreshHosts);
          tasks.run("adopting connections", stateRecovery::complete);
          tasks.run("keeping paths ready", this::keepLabelsReady);
          // ports that may have hosts are known only now
          tasks.run("asking for members", this::askForMissingMembers);
          tasks.run("retrying packets that wait", requests::retryWaiting);
        });
  }

  private void takeTopology() {
    view.setTopology(Topology.of(usableSwitches(), FoundLinks.of(topology)));
  }

  /** Those that take orders and whose rules are known. */
  private List<DatapathId> usableSwitches() {
    return switches.getAllSwitchDpids().stream()
        .filter(readSwitches::contains)
        .filter(switchId -> switches.getActiveSwitch(switchId) != null)
        .toList();
  }

  /**
   * Connections on broken paths go another way, or end if there is none. A path over a switch that
   * takes no orders is left alone where there is no other: the switch goes on forwarding. So are
   * all as long as there may be another in a moment.
   */
  private void repairPaths() {
    NetworkSnapshot network = view.get().network().searchingAtOnce();
    Set<LabelledPath> lost = new HashSet<>();
    Runnable again = () -> inTurn("repairing paths", this::repairPaths);
    for (LabelledPath labelled : labels.repair(network.topology(), network::lowestLatency, again)) {
      if (network.topology().switches().containsAll(labelled.path().switches())) {
        lost.add(labelled);
      }
    }
    if (!lost.isEmpty() && !outages.mayHeal()) {
      resetter.close(connections.find(connection -> connection.uses(lost)));
    }
  }

  /** A host has come, moved, changed or gone. */
  @Override
  public void hostChanged(IDevice device) {
    List<IPAddress<?>> addresses = AttachedHosts.addressesOf(device);
    serialExecutor.execute(
        () -> {
          CatalogSnapshot catalog = view.get().catalog();
          for (IPAddress<?> address : addresses) {
            if (!catalog.membersAt(address).isEmpty()) {
              tasks.run("locating members", view::refreshHosts);
              tasks.run("adopting connections", stateRecovery::complete);
              tasks.run("keeping paths ready", this::keepLabelsReady);
              // one that has only been silent is back before anybody misses it
              tasks.run("asking for members", this::askForMissingMembers);
              break;
            }
          }
          tasks.run("retrying packets that wait", requests::retryWaiting);
        });
  }

  @Override
  public void hostMoved(IDevice device) {
    AttachedHosts.attachmentOf(device)
        .ifPresent(now -> serialExecutor.execute(() -> relocations.hostMoved(now)));
  }

  /**
   * A switch is there, for the first time or again. It is used for connections once it is known
   * what it holds.
   */
  @Override
  public void switchActivated(DatapathId switchId) {
    readSwitches.begin(switchId);
    serialExecutor.execute(
        () -> {
          // an earlier reading may have ended meanwhile; or the switch has gone again
          if (!readSwitches.again(switchId)) {
            return;
          }
          hostRules.reset(switchId);
          tasks.run(
              "preparing a switch", () -> preparation.prepare(switchId, view.get().catalog()));
          tasks.run(
              "reading a switch",
              () -> reconcileRounds.connected(switchId, known -> switchRead(switchId, known)));
        });
    topologyChanged();
  }

  private void switchRead(DatapathId switchId, boolean known) {
    if (!known) {
      LOG.warn("switch_started_afresh switch={} - its connections are interrupted", switchId);
      teardown.switchReset(switchId);
      preparation.reset(switchId, view.get().catalog());
    }
    if (!knownSwitches.add(switchId)) {
      outages.back(switchId);
    } else if (stateRecovery.hasBegun()) {
      outages.restarted();
    }
    readSwitches.done(switchId);
    topologyChanged();
  }

  /** A switch has gone, or takes no more orders; what it holds may be another when it is back. */
  @Override
  public void switchRemoved(DatapathId switchId) {
    readSwitches.gone(switchId);
    serialExecutor.execute(
        () -> {
          reconcileRounds.gone(switchId);
          if (knownSwitches.contains(switchId)) {
            outages.gone(switchId);
          }
        });
    topologyChanged();
  }

  /** A packet waits for hosts to be found. */
  void hostsAreWanted(Arrival arrival) {
    inTurn("asking for members", this::askForMissingMembers);
    inTurn("asking for a client", () -> missingHosts.askForClient(arrival));
  }

  /** Searches for paths, for which packets may wait. */
  void search(Runnable search) {
    inTurn("searching for paths", search);
    retryWaiting();
  }

  /** To be called every half a second: packets that wait are tried again, or given up. */
  void retryWaiting() {
    inTurn("retrying packets that wait", requests::retryWaiting);
  }

  /** There is a new report of a server. */
  void serverReported(IPAddress<?> address) {
    inTurn("taking over a report", () -> view.refreshServer(address));
  }

  /** To be called every second: there are new measurements, and others grow old. */
  void refreshMeasurements() {
    inTurn("taking over measurements of links", view::refreshLinks);
    inTurn("taking over reports", view::refreshServers);
  }

  /** To be called every {@link HealthChecks#TICK_MILLIS}. */
  void checkMembers() {
    inTurn("starting members slowly", view::refreshShares);
    inTurn("checking members", this::takeChecks);
  }

  private void takeChecks() {
    List<HealthChecks.Change> changes = checks.tick(view.get().servers());
    if (!changes.isEmpty()) {
      view.setHealth(checks.health());
      view.refreshHosts();
      changes.forEach(Housekeeping::log);
      closeConnections(
          List.of(),
          changes.stream().filter(this::isLost).map(HealthChecks.Change::member).toList());
      requests.retryWaiting();
    }
  }

  /**
   * Whether the open connections of a member are to be reset. Where most of a pool seems to be
   * down, it is more likely that answers get lost than that all have ended.
   */
  private boolean isLost(HealthChecks.Change change) {
    return change.now() == Health.DOWN
        && change.monitor().onDown() == Monitor.OnDown.RESET
        && checks.majorityIsUp(change.monitor());
  }

  private static void log(HealthChecks.Change change) {
    if (change.now() == Health.DOWN) {
      LOG.warn(
          "member_down member={} address={} monitor={} - it gets no new connections",
          change.member().id(),
          change.member().address(),
          change.monitor().id());
    } else {
      LOG.info(
          "member_up member={} address={} monitor={}",
          change.member().id(),
          change.member().address(),
          change.monitor().id());
    }
  }

  /** To be called every {@link ConnectionResetter#TICK_MILLIS}. */
  void goOnClosing() {
    inTurn("closing connections", resetter::goOn);
  }

  /** To be called every few seconds. */
  void tidy() {
    inTurn("repairing paths", this::repairPaths);
    inTurn("keeping paths ready", this::keepLabelsReady);
    inTurn("adopting connections", stateRecovery::complete);
    inTurn("sweeping labels", labels::sweep);
    inTurn("sweeping connections", connections::sweep);
    inTurn("sweeping clients' members", affinity::sweep);
    inTurn("auditing switches", reconcileRounds::tick);
    inTurn("telling of limits", () -> limits.tell(view.get().catalog().vips().values()));
    inTurn("sweeping questions for hosts", missingHosts::sweep);
    inTurn("sweeping absent switches", outages::sweep);
    inTurn("asking for members", this::askForMissingMembers);
  }

  private void inTurn(String task, Runnable work) {
    serialExecutor.execute(() -> tasks.run(task, work));
  }

  private void askForMissingMembers() {
    missingHosts.askForMembers(view.missingMembers());
  }

  private void keepLabelsReady() {
    preparedLabels.refresh(view.get());
  }
}
