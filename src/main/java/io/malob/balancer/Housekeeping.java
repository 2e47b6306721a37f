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
 * Runs the balancer's work besides packets: it handles changes of the catalog, the topology, hosts
 * and switches, and periodic tasks. All work runs in order on one serial executor, never on a
 * thread that reads from switches. It consists of named tasks that fail independently.
 */
final class Housekeeping implements NetworkEvents.Follower {
  private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

  private final Executor serialExecutor;
  private final Tasks tasks;

  /** The number of pending changes of the topology. */
  private final AtomicInteger topologyChanges = new AtomicInteger();

  /** Switches that were connected before. Used by the executor's tasks only. */
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

  /** The parts of the balancer that need housekeeping. */
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

  /**
   * Applies an operator's change of the catalog. The future completes when the change is in force.
   */
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
          requests.retryPending();
        },
        serialExecutor);
  }

  private void closeConnections(List<Vip> vips, List<Member> members) {
    if (vips.isEmpty() && members.isEmpty()) {
      return;
    }
    Set<Integer> vipNumbers = vips.stream().map(Vip::number).collect(Collectors.toSet());
    Set<Integer> memberNumbers = members.stream().map(Member::number).collect(Collectors.toSet());
    // clients' packets miss from now on; members' packets are forwarded until each connection is
    // reset
    preparation.removeRequests(vipNumbers, memberNumbers, switches.getAllSwitchDpids());
    resetter.close(
        connections.find(
            connection ->
                vipNumbers.contains(connection.vipNumber())
                    || memberNumbers.contains(connection.server().number())));
  }

  /**
   * Handles added or removed links and switches. Of several pending changes, the last one handles
   * all.
   */
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
          tasks.run("recovering connections", stateRecovery::complete);
          tasks.run("preparing paths", this::keepLabelsReady);
          // the ports that may have hosts are known only now
          tasks.run("locating missing members", this::askForMissingMembers);
          tasks.run("retrying pending packets", requests::retryPending);
        });
  }

  private void takeTopology() {
    view.setTopology(Topology.of(usableSwitches(), FoundLinks.of(topology)));
  }

  /** The switches that this controller is master of and whose rules have been read. */
  private List<DatapathId> usableSwitches() {
    return switches.getAllSwitchDpids().stream()
        .filter(readSwitches::contains)
        .filter(switchId -> switches.getActiveSwitch(switchId) != null)
        .toList();
  }

  /**
   * Reroutes connections on broken paths, or closes them if there is no other path. A path over a
   * switch out of control stays if there is no other one, because the switch continues to forward.
   * All broken paths stay while an outage may end soon.
   */
  private void repairPaths() {
    NetworkSnapshot network = view.get().network().searchingAtOnce();
    Set<LabelledPath> lost = new HashSet<>();
    Runnable retry = () -> submit("repairing paths", this::repairPaths);
    for (LabelledPath labelled : labels.repair(network.topology(), network::lowestLatency, retry)) {
      if (network.topology().switches().containsAll(labelled.path().switches())) {
        lost.add(labelled);
      }
    }
    if (!lost.isEmpty() && !outages.mayHeal()) {
      resetter.close(connections.find(connection -> connection.uses(lost)));
    }
  }

  /** Handles a host that was added, moved, changed or removed. */
  @Override
  public void hostChanged(IDevice device) {
    List<IPAddress<?>> addresses = AttachedHosts.addressesOf(device);
    serialExecutor.execute(
        () -> {
          CatalogSnapshot catalog = view.get().catalog();
          for (IPAddress<?> address : addresses) {
            if (!catalog.membersAt(address).isEmpty()) {
              tasks.run("locating members", view::refreshHosts);
              tasks.run("recovering connections", stateRecovery::complete);
              tasks.run("preparing paths", this::keepLabelsReady);
              // a member that was only silent is located again before a connection needs it
              tasks.run("locating missing members", this::askForMissingMembers);
              break;
            }
          }
          tasks.run("retrying pending packets", requests::retryPending);
        });
  }

  @Override
  public void hostMoved(IDevice device) {
    AttachedHosts.attachmentOf(device)
        .ifPresent(now -> serialExecutor.execute(() -> relocations.hostMoved(now)));
  }

  /**
   * Handles a switch that connects or reconnects. Connections use it once its rules have been read.
   */
  @Override
  public void switchActivated(DatapathId switchId) {
    readSwitches.begin(switchId);
    serialExecutor.execute(
        () -> {
          // an earlier reading may have ended meanwhile, or the switch has disconnected
          if (!readSwitches.reread(switchId)) {
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

  /**
   * Handles a switch that disconnected or is no longer controlled. Its rules may differ when it
   * returns.
   */
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

  /** Handles a packet that is pending until hosts are located. */
  void hostsAreMissing(Arrival arrival) {
    submit("locating missing members", this::askForMissingMembers);
    submit("locating a client", () -> missingHosts.askForClient(arrival));
  }

  /** Runs a search for paths and then retries pending packets. */
  void search(Runnable search) {
    submit("searching for paths", search);
    retryPending();
  }

  /** To be called every half a second. Retries pending packets, or rejects them. */
  void retryPending() {
    submit("retrying pending packets", requests::retryPending);
  }

  /** Takes over a new report of a server. */
  void serverReported(IPAddress<?> address) {
    submit("taking over a report", () -> view.refreshServer(address));
  }

  /** To be called every second. Takes over new measurements and drops old ones. */
  void refreshMeasurements() {
    submit("taking over measurements of links", view::refreshLinks);
    submit("taking over reports", view::refreshServers);
  }

  /** To be called every {@link HealthChecks#TICK_MILLIS}. */
  void checkMembers() {
    submit("updating slow starts", view::refreshShares);
    submit("checking members", this::takeChecks);
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
      requests.retryPending();
    }
  }

  /**
   * Whether the open connections of a member must be reset. If most of a pool seems to be down,
   * lost answers are more likely than failed members.
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
  void resumeClosing() {
    submit("closing connections", resetter::resume);
  }

  /** To be called every few seconds. */
  void tidy() {
    submit("repairing paths", this::repairPaths);
    submit("preparing paths", this::keepLabelsReady);
    submit("recovering connections", stateRecovery::complete);
    submit("sweeping labels", labels::sweep);
    submit("sweeping connections", connections::sweep);
    submit("sweeping clients' members", affinity::sweep);
    submit("reconciling switches", reconcileRounds::tick);
    submit("reporting limits", () -> limits.tell(view.get().catalog().vips().values()));
    submit("sweeping requests for hosts", missingHosts::sweep);
    submit("sweeping outages", outages::sweep);
    submit("locating missing members", this::askForMissingMembers);
  }

  private void submit(String task, Runnable work) {
    serialExecutor.execute(() -> tasks.run(task, work));
  }

  private void askForMissingMembers() {
    missingHosts.askForMembers(view.missingMembers());
  }

  private void keepLabelsReady() {
    preparedLabels.refresh(view.get());
  }
}
