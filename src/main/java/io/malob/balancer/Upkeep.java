package io.malob.balancer;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.health.Health;
import io.malob.module.AttachedHosts;
import io.malob.module.FoundLinks;
import io.malob.module.NetworkEvents;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Monitor;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done besides handling packets: when the catalog, the topology, a host or a switch
 * changes, and when time passes. All of it runs in order, one thing at a time, on one executor and
 * never on a thread that reads from switches.
 */
final class Upkeep implements NetworkEvents.Follower {
  private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);

  /** How many labels are kept ready at most; beyond that the first connection waits for its own. */
  private static final int MAX_READY_LABELS = 10_000;

  /** How many members are asked for at a time, so that a large pool causes no storm of ARP. */
  private static final int MAX_ASKED = 64;

  /** How long to wait for an answer before the same host is asked for again. */
  private static final long ASK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  /** The links of a switch that comes back are found one after the other. */
  private static final long FIND_LINKS_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Executor inOrder;
  private final LongSupplier nanoTime;

  /** When each host was last asked for; kept by the executor's tasks alone. */
  private final Map<IPv4Address, Long> askedAtNanos = new HashMap<>();

  /** How many changes of the topology are still to be looked at. */
  private final AtomicInteger topologyChanges = new AtomicInteger();

  /** Switches that have been there; when they came back last. By the executor's tasks alone. */
  private final Map<DatapathId, Long> backSinceNanos = new HashMap<>();

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
  private final HostRuleCache hostRules;
  private final SwitchPreparation preparation;
  private final HostFinder hosts;
  private final ReadSwitches readSwitches;
  private final Audits audits;
  private final Adoption adoption;
  private final HealthChecks checks;
  private final IOFSwitchService switches;
  private final ITopologyService topology;
  private final IDeviceService devices;

  Upkeep(
      Executor inOrder,
      LongSupplier nanoTime,
      Parts parts,
      IOFSwitchService switches,
      ITopologyService topology,
      IDeviceService devices) {
    this.inOrder = inOrder;
    this.nanoTime = nanoTime;
    this.view = parts.view;
    this.requests = parts.requests;
    this.endings = parts.endings;
    this.denials = parts.denials;
    this.limits = parts.limits;
    this.clientMemory = parts.clientMemory;
    this.closings = parts.closings;
    this.connections = parts.connections;
    this.labels = parts.labels;
    this.hostRules = parts.hostRules;
    this.preparation = parts.preparation;
    this.hosts = parts.hosts;
    this.readSwitches = parts.readSwitches;
    this.audits = parts.audits;
    this.adoption = parts.adoption;
    this.checks = parts.checks;
    this.switches = switches;
    this.topology = topology;
    this.devices = devices;
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
      HealthChecks checks) {}

  /** An operator has changed the catalog. The future ends when the change is in force. */
  Future<?> catalogChanged(CatalogSnapshot before, CatalogSnapshot after) {
    return CompletableFuture.runAsync(
        () -> {
          clientMemory.keep(
              after.pools().values().stream().anyMatch(pool -> pool.persistence() != null));
          checks.follow(before, after);
          view.setHealth(checks.health());
          view.setCatalog(after);
          Set<DatapathId> all = switches.getAllSwitchDpids();
          preparation.catalogChanged(before, after, all);
          closeConnections(
              changed(before.vips().values(), after.vips(), Vip::id, Upkeep::sameTraffic),
              changed(before.members().values(), after.members(), Member::id, Upkeep::samePlace));
          if (!before.vips().equals(after.vips())) {
            denials.reconsider(all);
            closeDenied(before, after);
          }
          askForMissingMembers();
          adoption.complete();
          requests.retryWaiting();
        },
        inOrder);
  }

  /** Ends the connections of clients that are no longer allowed. */
  private void closeDenied(CatalogSnapshot before, CatalogSnapshot after) {
    Map<Integer, Vip> changed = new HashMap<>();
    for (Vip vip : after.vips().values()) {
      @Nullable Vip old = before.vips().get(vip.id());
      if (old != null && !Objects.equals(old.allowedSources(), vip.allowedSources())) {
        changed.put(vip.number(), vip);
      }
    }
    if (!changed.isEmpty()) {
      closings.close(
          connections.find(
              connection -> {
                @Nullable Vip vip = changed.get(connection.vipNumber());
                return vip != null && !vip.allows(connection.request().srcAddress());
              }));
    }
  }

  private static <T> List<T> changed(
      Collection<T> before, Map<String, T> after, Function<T, String> id, Same<T> same) {
    List<T> changed = new ArrayList<>();
    for (T old : before) {
      T now = after.get(id.apply(old));
      if (now == null || !same.test(old, now)) {
        changed.add(old);
      }
    }
    return changed;
  }

  private interface Same<T> {
    boolean test(T before, T after);
  }

  /** Whether the connections of a VIP can stay although it was written to. */
  private static boolean sameTraffic(Vip before, Vip after) {
    return before.number() == after.number()
        && before.address().equals(after.address())
        && before.protocol() == after.protocol()
        && Objects.equals(before.port(), after.port());
  }

  /** Whether the connections of a member can stay although it was written to. */
  private static boolean samePlace(Member before, Member after) {
    return before.number() == after.number()
        && before.address().equals(after.address())
        && Objects.equals(before.port(), after.port())
        && Objects.equals(before.poolId(), after.poolId())
        && (after.adminState() != AdminState.DOWN || before.adminState() == AdminState.DOWN);
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
          view.setTopology(Topology.of(usableSwitches(), FoundLinks.of(topology)));
          repairPaths();
          view.refreshHosts();
          adoption.complete();
          keepLabelsReady();
          // ports that may have hosts are known only now
          askForMissingMembers();
          requests.retryWaiting();
        });
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
   * takes no orders, or has done so for a moment only, is left alone where there is no other: the
   * switch goes on forwarding.
   */
  private void repairPaths() {
    NetworkSnapshot network = view.get().network();
    Set<LabelledPath> lost = new HashSet<>();
    Runnable again = () -> inOrder.execute(this::repairPaths);
    for (LabelledPath labelled : labels.repair(network.topology(), network::lowestLatency, again)) {
      if (network.topology().switches().containsAll(labelled.path().switches())
          && labelled.path().switches().stream().noneMatch(this::isJustBack)) {
        lost.add(labelled);
      }
    }
    if (!lost.isEmpty()) {
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
              view.refreshHosts();
              adoption.complete();
              keepLabelsReady();
              // one that has only been silent is back before anybody misses it
              askForMissingMembers();
              break;
            }
          }
          requests.retryWaiting();
        });
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
          readSwitches.begin(switchId); // an earlier reading may have ended meanwhile
          hostRules.reset(switchId);
          preparation.prepare(switchId, view.get().catalog());
          audits.connected(switchId, known -> switchRead(switchId, known));
        });
    topologyChanged();
  }

  /** Whether paths over a switch may only seem broken, because not all its links are found yet. */
  private boolean isJustBack(DatapathId switchId) {
    @Nullable Long since = backSinceNanos.get(switchId);
    return since != null && nanoTime.getAsLong() - since < FIND_LINKS_NANOS;
  }

  private void switchRead(DatapathId switchId, boolean known) {
    if (!known) {
      LOG.warn("switch_started_afresh switch={} - its connections are interrupted", switchId);
      endings.switchReset(switchId);
      preparation.reset(switchId, view.get().catalog());
    }
    if (!knownSwitches.add(switchId)) {
      backSinceNanos.put(switchId, nanoTime.getAsLong());
    }
    readSwitches.done(switchId);
    topologyChanged();
  }

  /** A switch has gone, or takes no more orders; what it holds may be another when it is back. */
  @Override
  public void switchRemoved(DatapathId switchId) {
    readSwitches.gone(switchId);
    inOrder.execute(() -> audits.gone(switchId));
    topologyChanged();
  }

  /** A packet waits for hosts to be found. */
  void hostsAreWanted(Arrival arrival) {
    inOrder.execute(
        () -> {
          askForMissingMembers();
          IPv4Address client = IPv4Address.of(arrival.packet().srcAddress());
          if (hosts.locate(arrival.switchId(), arrival.inPort(), arrival.packet()).isEmpty()) {
            ask(client, IPv4Address.of(arrival.packet().dstAddress()));
          }
        });
  }

  /** To be called every half a second: packets that wait are tried again, or given up. */
  void retryWaiting() {
    inOrder.execute(requests::retryWaiting);
  }

  /** There is a new report of a server. */
  void serverReported(IPv4Address address) {
    inOrder.execute(() -> view.refreshServers(member -> member.address().equals(address)));
  }

  /** To be called every second: there are new measurements, and others grow old. */
  void refreshMeasurements() {
    inOrder.execute(
        () -> {
          view.refreshLinks();
          view.refreshServers(member -> true);
        });
  }

  /** To be called every {@link HealthChecks#TICK_MILLIS}. */
  void checkMembers() {
    inOrder.execute(
        () -> {
          view.refreshShares();
          List<HealthChecks.Change> changes = checks.tick(view.get().servers());
          if (!changes.isEmpty()) {
            view.setHealth(checks.health());
            view.refreshHosts();
            closeConnections(
                List.of(),
                changes.stream().filter(this::isLost).map(HealthChecks.Change::member).toList());
            changes.forEach(Upkeep::log);
            requests.retryWaiting();
          }
        });
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
    inOrder.execute(closings::goOn);
  }

  /** To be called every few seconds. */
  void tidy() {
    inOrder.execute(
        () -> {
          repairPaths();
          keepLabelsReady();
          adoption.complete();
          labels.sweep();
          connections.sweep();
          clientMemory.sweep();
          audits.tick();
          limits.tell(view.get().catalog().vips().values());
          askedAtNanos.clear();
          askForMissingMembers();
        });
  }

  private void askForMissingMembers() {
    view.missingMembers().entrySet().stream()
        .limit(MAX_ASKED)
        .forEach(missing -> ask(missing.getKey(), missing.getValue()));
  }

  private void ask(IPv4Address host, IPv4Address vip) {
    long now = nanoTime.getAsLong();
    @Nullable Long askedAt = askedAtNanos.get(host);
    boolean early = askedAt != null && now - askedAt < ASK_AGAIN_NANOS;
    if (!early && hosts.ask(host, vip)) {
      askedAtNanos.put(host, now);
    }
  }

  /**
   * Between all switches with hosts and all members, by the algorithms that are in use, so that no
   * connection has to wait.
   */
  private void keepLabelsReady() {
    BalancerView current = view.get();
    Set<DatapathId> clientSwitches = switchesWithHosts();
    Set<Path> ready = new HashSet<>();
    for (Pool pool : current.catalog().pools().values()) {
      @Nullable String vipId = pool.vipId();
      @Nullable Vip vip = vipId == null ? null : current.catalog().vips().get(vipId);
      if (vip == null) {
        continue;
      }
      PoolView members = current.pool(pool);
      for (Algorithm algorithm : current.catalog().algorithmsFor(vip, pool)) {
        addPaths(members.placer(algorithm), members.oneOfEachSwitch(), clientSwitches, ready);
      }
    }
    ready.forEach(labels::keepReady);
  }

  private void addPaths(
      Placer placer, Collection<Server> servers, Set<DatapathId> clientSwitches, Set<Path> ready) {
    NetworkSnapshot network = view.get().network();
    for (DatapathId client : clientSwitches) {
      Placer.Request request = Placer.Request.from(client);
      for (Server server : servers) {
        if (ready.size() < MAX_READY_LABELS
            && placer.placeOn(server, request, network) instanceof Placement placement) {
          ready.add(placement.requestPath());
          ready.add(placement.replyPath());
        }
      }
    }
  }

  private Set<DatapathId> switchesWithHosts() {
    Set<DatapathId> found = new HashSet<>();
    for (IDevice device : devices.getAllDevices()) {
      AttachedHosts.attachmentOf(device).ifPresent(at -> found.add(at.switchId()));
    }
    return found;
  }
}
