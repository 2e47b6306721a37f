package io.malob.balancer;

import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.health.Health;
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
import org.projectfloodlight.openflow.types.IPv4Address;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done besides handling packets: when the catalog, the topology, a host or a switch
 * changes, and when time passes. All of it runs in order, one thing at a time, on one executor and
 * never on a thread that reads from switches. It consists of named tasks that fail independently.
 */
final class Upkeep implements NetworkEvents.Follower {
  private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);

  private final Executor inOrder;
  private final Tasks tasks;

  /** How many changes of the topology are still to be looked at. */
  private final AtomicInteger topologyChanges = new AtomicInteger();

  /** Switches that have been there. By the executor's tasks alone. */
  private final Set<DatapathId> knownSwitches = new HashSet<>();

  private final ViewWriter view;
  private final RequestHandler requests;
  private final Endings endings;
  private final Denials denials;
  private final LimitNotices limits;
  private final ClientMemory clientMemory;
  private final Closings closings;
  private final ConnectionTable connections;
  private final LabelTable labels;
  private final ReadyLabels readyLabels;
  private final HostRuleCache hostRules;
  private final SwitchPreparation preparation;
  private final MissingHosts missingHosts;
  private final ReadSwitches readSwitches;
  private final Audits audits;
  private final Adoption adoption;
  private final Absences absences;
  private final HealthChecks checks;
  private final Relocations relocations;
  private final IOFSwitchService switches;
  private final ITopologyService topology;

  Upkeep(
      Executor inOrder,
      Tasks tasks,
      LongSupplier nanoTime,
      Parts parts,
      IOFSwitchService switches,
      ITopologyService topology,
      IDeviceService devices) {
    this.inOrder = inOrder;
    this.tasks = tasks;
    this.view = parts.view;
    this.requests = parts.requests;
    this.endings = parts.endings;
    this.denials = parts.denials;
    this.limits = parts.limits;
    this.clientMemory = parts.clientMemory;
    this.closings = parts.closings;
    this.connections = parts.connections;
    this.labels = parts.labels;
    this.readyLabels = new ReadyLabels(parts.labels, devices);
    this.hostRules = parts.hostRules;
    this.preparation = parts.preparation;
    this.missingHosts = new MissingHosts(parts.hosts, nanoTime);
    this.readSwitches = parts.readSwitches;
    this.audits = parts.audits;
    this.adoption = parts.adoption;
    this.absences = parts.absences;
    this.checks = parts.checks;
    this.relocations = parts.relocations;
    this.switches = switches;
    this.topology = topology;
  }

  /** The parts of the balancer that need upkeep. */
  record Parts(
      ViewWriter view,
      RequestHandler requests,
      Endings endings,
      Denials denials,
      LimitNotices limits,
      ClientMemory clientMemory,
      Closings closings,
      ConnectionTable connections,
      LabelTable labels,
      HostRuleCache hostRules,
      SwitchPreparation preparation,
      HostFinder hosts,
      ReadSwitches readSwitches,
      Audits audits,
      Adoption adoption,
      Absences absences,
      HealthChecks checks,
      Relocations relocations) {}

  /** An operator has changed the catalog. The future ends when the change is in force. */
  CompletableFuture<Void> catalogChanged(CatalogSnapshot before, CatalogSnapshot after) {
    return CompletableFuture.runAsync(
        () -> {
          clientMemory.keep(
              after.pools().values().stream().anyMatch(pool -> pool.persistence() != null));
          checks.follow(before, after);
          view.setHealth(checks.health());
          view.setCatalog(after);
          Set<DatapathId> all = switches.getAllSwitchDpids();
          preparation.catalogChanged(before, after, all);
          CatalogChange change = new CatalogChange(before, after);
          closeConnections(change.endedVips(), change.endedMembers());
          if (change.isOfVips()) {
            denials.reconsider(all);
            change.denied().ifPresent(denied -> closings.close(connections.find(denied)));
          }
          askForMissingMembers();
          adoption.complete();
          requests.retryWaiting();
        },
        inOrder);
  }

  private void closeConnections(List<Vip> vips, List<Member> members) {
    if (vips.isEmpty() && members.isEmpty()) {
      return;
    }
    Set<Integer> vipNumbers = vips.stream().map(Vip::number).collect(Collectors.toSet());
    Set<Integer> memberNumbers = members.stream().map(Member::number).collect(Collectors.toSet());
    // what clients send misses from now on; what members send is carried until its turn comes
    preparation.removeRequests(vipNumbers, memberNumbers, switches.getAllSwitchDpids());
    closings.close(
        connections.find(
            connection ->
                vipNumbers.contains(connection.vipNumber())
                    || memberNumbers.contains(connection.server().number())));
  }

  /** Links or switches have come or gone. Of several that wait, the last sees them all. */
  @Override
  public void topologyChanged() {
    topologyChanges.incrementAndGet();
    inOrder.execute(
        () -> {
          if (topologyChanges.decrementAndGet() > 0) {
            return;
          }
          tasks.run("taking over the topology", this::takeTopology);
          tasks.run("repairing paths", this::repairPaths);
          tasks.run("locating members", view::refreshHosts);
          tasks.run("adopting connections", adoption::complete);
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
    NetworkSnapshot network = view.get().network();
    Set<LabelledPath> lost = new HashSet<>();
    Runnable again = () -> inTurn("repairing paths", this::repairPaths);
    for (LabelledPath labelled : labels.repair(network.topology(), network::lowestLatency, again)) {
      if (network.topology().switches().containsAll(labelled.path().switches())) {
        lost.add(labelled);
      }
    }
    if (!lost.isEmpty() && !absences.mayHeal()) {
      closings.close(connections.find(connection -> connection.uses(lost)));
    }
  }

  /** A host has come, moved, changed or gone. */
  @Override
  public void hostChanged(IDevice device) {
    IPv4Address[] addresses = device.getIPv4Addresses();
    inOrder.execute(
        () -> {
          CatalogSnapshot catalog = view.get().catalog();
          for (IPv4Address address : addresses) {
            if (!catalog.membersAt(address.getInt()).isEmpty()) {
              tasks.run("locating members", view::refreshHosts);
              tasks.run("adopting connections", adoption::complete);
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
        .ifPresent(now -> inOrder.execute(() -> relocations.hostMoved(now)));
  }

  /**
   * A switch is there, for the first time or again. It is used for connections once it is known
   * what it holds.
   */
  @Override
  public void switchActivated(DatapathId switchId) {
    readSwitches.begin(switchId);
    inOrder.execute(
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
              () -> audits.connected(switchId, known -> switchRead(switchId, known)));
        });
    topologyChanged();
  }

  private void switchRead(DatapathId switchId, boolean known) {
    if (!known) {
      LOG.warn("switch_started_afresh switch={} - its connections are interrupted", switchId);
      endings.switchReset(switchId);
      preparation.reset(switchId, view.get().catalog());
    }
    if (!knownSwitches.add(switchId)) {
      absences.back(switchId);
    } else if (adoption.hasBegun()) {
      absences.restarted();
    }
    readSwitches.done(switchId);
    topologyChanged();
  }

  /** A switch has gone, or takes no more orders; what it holds may be another when it is back. */
  @Override
  public void switchRemoved(DatapathId switchId) {
    readSwitches.gone(switchId);
    inOrder.execute(
        () -> {
          audits.gone(switchId);
          if (knownSwitches.contains(switchId)) {
            absences.gone(switchId);
          }
        });
    topologyChanged();
  }

  /** A packet waits for hosts to be found. */
  void hostsAreWanted(Arrival arrival) {
    inTurn("asking for members", this::askForMissingMembers);
    inTurn("asking for a client", () -> missingHosts.askForClient(arrival));
  }

  /** To be called every half a second: packets that wait are tried again, or given up. */
  void retryWaiting() {
    inTurn("retrying packets that wait", requests::retryWaiting);
  }

  /** There is a new report of a server. */
  void serverReported(IPv4Address address) {
    inTurn(
        "taking over a report",
        () -> view.refreshServers(member -> member.address().equals(address)));
  }

  /** To be called every second: there are new measurements, and others grow old. */
  void refreshMeasurements() {
    inTurn("taking over measurements of links", view::refreshLinks);
    inTurn("taking over reports", () -> view.refreshServers(member -> true));
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
      changes.forEach(Upkeep::log);
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
        && checks.mostAreUp(change.monitor());
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

  /** To be called every {@link Closings#TICK_MILLIS}. */
  void goOnClosing() {
    inTurn("closing connections", closings::goOn);
  }

  /** To be called every few seconds. */
  void tidy() {
    inTurn("repairing paths", this::repairPaths);
    inTurn("keeping paths ready", this::keepLabelsReady);
    inTurn("adopting connections", adoption::complete);
    inTurn("sweeping labels", labels::sweep);
    inTurn("sweeping connections", connections::sweep);
    inTurn("sweeping clients' members", clientMemory::sweep);
    inTurn("auditing switches", audits::tick);
    inTurn("telling of limits", () -> limits.tell(view.get().catalog().vips().values()));
    inTurn("sweeping questions for hosts", missingHosts::sweep);
    inTurn("sweeping absent switches", absences::sweep);
    inTurn("asking for members", this::askForMissingMembers);
  }

  private void inTurn(String task, Runnable work) {
    inOrder.execute(() -> tasks.run(task, work));
  }

  private void askForMissingMembers() {
    missingHosts.askForMembers(view.missingMembers());
  }

  private void keepLabelsReady() {
    readyLabels.refresh(view.get());
  }
}
