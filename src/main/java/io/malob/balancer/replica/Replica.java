package io.malob.balancer.replica;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.admission.AdmissionControl;
import io.malob.balancer.admission.ConnectionTeardown;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Content;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.Connection.State;
import io.malob.balancer.replica.ReplicaEntry.Again;
import io.malob.balancer.replica.ReplicaEntry.Begin;
import io.malob.balancer.replica.ReplicaEntry.End;
import io.malob.balancer.replica.ReplicaEntry.Gone;
import io.malob.balancer.replica.ReplicaEntry.LabelGone;
import io.malob.balancer.replica.ReplicaEntry.Labelled;
import io.malob.balancer.replica.ReplicaEntry.Placed;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ViewWriter;
import io.malob.module.FieldWriter;
import io.malob.module.IPeerService;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.openflow.label.LabelledPath;
import io.malob.state.catalog.Member;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections and labels of other controllers' switches, as these have sent them. They are kept
 * in the tables of this controller's own: counts and pages show them, and when this controller
 * becomes master of a switch, it goes on with them. Nothing is sent, expired or recorded for them
 * before. When a peer is lost, everything is kept.
 *
 * <p>{@link #covers} may be called by any thread; messages arrive on those of the peers, and are
 * applied one after the other on the given executor.
 */
public final class Replica implements PeerListener {
  private static final Logger LOG = LoggerFactory.getLogger(Replica.class);

  /** The interval at which {@link #tick} is to be called. */
  public static final long TICK_MILLIS = 1_000;

  private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long MAX_PENDING_BYTES = 64 << 20;

  /** How many connections may wait for their members to be in this controller's catalog. */
  private static final int MAX_WAITING = 10_000;

  private final IPeerService service;
  private final ReplicaPublisher publisher;
  private final ReplicaTables tables;
  private final AdmissionControl admissionControl;
  private final ConnectionTeardown teardown;
  private final ViewWriter view;
  private final Consumer<Runnable> executor;
  private final LongSupplier nanoTime;

  private final Coverage coverage;
  private final AtomicLong pendingBytes = new AtomicLong();

  /** Peers that have sent what could not be taken over. */
  private final Set<String> incomplete = ConcurrentHashMap.newKeySet();

  /** Where members were when their connections were sent, by their addresses. */
  private final Map<Integer, Place> places = new ConcurrentHashMap<>();

  // by the executor's tasks alone
  private final Map<String, Snapshot> snapshots = new HashMap<>();
  private final ReplicaLabels labels;
  private final Map<FiveTuple, Waiting> waiting = new LinkedHashMap<>();
  private long warnedNanos;

  private record Place(Attachment at, long sinceNanos) {}

  private record Waiting(String peer, Placed placed) {}

  /**
   * Everything that a peer is sending.
   *
   * @param holes switches of connections that could not be taken over
   */
  private record Snapshot(
      Set<DatapathId> switches,
      Set<FiveTuple> connections,
      Set<Integer> labels,
      Set<DatapathId> holes) {
    Snapshot(Set<DatapathId> switches) {
      this(switches, new HashSet<>(), new HashSet<>(), new HashSet<>());
    }
  }

  /**
   * An empty replica.
   *
   * @param executor runs one task at a time, the same as that of the view's writer
   */
  public Replica(
      IPeerService service,
      ReplicaPublisher publisher,
      ReplicaTables tables,
      AdmissionControl admissionControl,
      ConnectionTeardown teardown,
      ViewWriter view,
      Consumer<Runnable> executor,
      LongSupplier nanoTime) {
    this.service = service;
    this.publisher = publisher;
    this.tables = tables;
    this.admissionControl = admissionControl;
    this.teardown = teardown;
    this.view = view;
    this.executor = executor;
    this.nanoTime = nanoTime;
    coverage = new Coverage(tables.unowned(), nanoTime);
    labels = new ReplicaLabels(tables, new HashMap<>());
    warnedNanos = nanoTime.getAsLong() - WARN_NANOS;
  }

  /**
   * Whether the connections of a switch are known: its master has sent all of them, and has not
   * been silent for long.
   */
  public boolean covers(DatapathId switchId) {
    return coverage.contains(switchId);
  }

  /** Where a member was when another controller last sent a connection of it; by its address. */
  public Optional<Attachment> placeOf(int address) {
    return Optional.ofNullable(places.get(address))
        .filter(
            place ->
                tables.unowned().test(place.at.switchId())
                    || nanoTime.getAsLong() - place.sinceNanos < TimeUnit.MINUTES.toNanos(1))
        .map(Place::at);
  }

  @Override
  public void reached(String peer) {
    publisher.begin(peer);
  }

  @Override
  public void lost(String peer) {
    publisher.lost(peer);
    coverage.lost(peer);
    executor.accept(() -> snapshots.remove(peer));
  }

  @Override
  public void received(String peer, ByteBuffer message) {
    int size = message.remaining();
    if (pendingBytes.addAndGet(size) > MAX_PENDING_BYTES) {
      pendingBytes.addAndGet(-size);
      incomplete.add(peer);
      executor.accept(() -> distrust(peer)); // after the earlier messages, before the later ones
      return;
    }
    executor.accept(
        () -> {
          pendingBytes.addAndGet(-size);
          apply(peer, message);
        });
  }

  private void apply(String peer, ByteBuffer message) {
    List<ReplicaEntry> entries;
    try {
      entries = ReplicaFormat.read(message);
    } catch (IllegalArgumentException e) {
      distrust(peer);
      long now = nanoTime.getAsLong();
      if (now - warnedNanos >= WARN_NANOS) {
        warnedNanos = now;
        LOG.warn("replica_unreadable peer={} why=\"{}\"", peer, e.getMessage());
      }
      return;
    }
    BalancerView current = view.get();
    for (ReplicaEntry entry : entries) {
      apply(peer, entry, current);
    }
  }

  /** A message of a peer is lost: neither its last snapshot nor the current one is complete. */
  private void distrust(String peer) {
    snapshots.remove(peer);
    coverage.remove(peer);
  }

  /** A connection of a peer is not taken over: its switch is not completely known. */
  private void addHole(String peer, DatapathId clientSwitch) {
    incomplete.add(peer);
    @Nullable Snapshot snapshot = snapshots.get(peer);
    if (snapshot != null) {
      snapshot.holes.add(clientSwitch);
    }
    coverage.remove(peer, clientSwitch);
  }

  private void apply(String peer, ReplicaEntry entry, BalancerView now) {
    @Nullable Snapshot snapshot = snapshots.get(peer);
    if (entry instanceof Placed placed) {
      if (snapshot != null) {
        snapshot.connections.add(placed.request());
      }
      place(peer, placed, now);
    } else if (entry instanceof Gone gone) {
      if (snapshot != null) {
        snapshot.connections.remove(gone.request());
      }
      remove(peer, gone);
    } else if (entry instanceof Labelled labelled) {
      if (snapshot != null) {
        snapshot.labels.add(labelled.label());
      }
      labels.set(labelled.label(), labelled.path());
    } else if (entry instanceof LabelGone gone) {
      labels.remove(gone.label());
    } else if (entry instanceof Begin begin) {
      snapshots.put(peer, new Snapshot(begin.switches()));
    } else if (entry instanceof End) {
      if (snapshot != null) {
        complete(peer, snapshot);
      }
    } else if (entry instanceof Again) {
      publisher.begin(peer);
    }
  }

  private void place(String peer, Placed placed, BalancerView now) {
    DatapathId clientSwitch = placed.client().switchId();
    if (!coverage.mayKnow(peer, clientSwitch)) {
      addHole(peer, clientSwitch); // or this controller does not know yet that it is the master
      return;
    }
    @Nullable Connection known = tables.connections().byRequest(placed.request());
    if (known != null && !mayReplace(known) && !hasMoved(known, placed)) {
      return;
    }
    Optional<Server> server = serverOf(placed, now);
    if (server.isEmpty()) {
      if (waiting.size() < MAX_WAITING) {
        waiting.put(placed.request(), new Waiting(peer, placed));
      } else {
        addHole(peer, clientSwitch);
      }
      return;
    }
    waiting.remove(placed.request());
    if (known != null) {
      teardown.forgetReplicated(known);
    }
    notePlace(placed);
    add(placed, server.get(), now);
  }

  /** Whether a switch is this controller's, and all its rules are known. */
  private boolean isRead(DatapathId switchId) {
    return !tables.unowned().test(switchId) && tables.read().contains(switchId);
  }

  private boolean mayReplace(Connection known) {
    return tables.unowned().test(known.client().switchId()) || known.isReplicated();
  }

  /** Whether its client is at a switch of another controller by now, which has followed it. */
  private boolean hasMoved(Connection known, Placed placed) {
    return placed.generation() == known.generation()
        && tables.unowned().test(placed.client().switchId());
  }

  private void add(Placed placed, Server server, BalancerView now) {
    long nowNanos = nanoTime.getAsLong();
    Connection connection =
        new Connection(
            placed.request(),
            placed.vipNumber(),
            placed.algorithm(),
            server,
            placed.client(),
            placed.generation(),
            nowNanos - TimeUnit.MILLISECONDS.toNanos(placed.ageMillis()));
    @Nullable Connection clash = tables.connections().byReply(connection.reply());
    if (clash != null && mayReplace(clash)) {
      teardown.forgetReplicated(clash); // it has gone, or its end follows
    }
    boolean mayHaveRules = placed.state().hasRules() && !isRead(placed.client().switchId());
    @Nullable Route route = mayHaveRules ? labels.acquire(placed) : null;
    // without paths, or if its switch has been read and has no rule: until its next packet
    State state = route == null ? State.DORMANT : placed.state();
    boolean isHalfOpen = placed.halfOpenSeconds() > 0 && state == State.OPENING;
    long until =
        isHalfOpen
            ? tables.halfOpen().addOfOther(placed.vipNumber(), placed.halfOpenSeconds() - 1)
            : Connection.NOT_HALF_OPEN;
    Content content =
        new Content(
            state,
            placed.wasEnded() || (state == State.DORMANT && placed.state() == State.ENDED),
            placed.isAnswered(),
            server,
            placed.client(),
            nowNanos,
            until,
            placed.isBrief(),
            route);
    if (!admissionControl.replicate(connection, content, now, nowNanos)) {
      if (isHalfOpen) {
        tables.halfOpen().remove(placed.vipNumber(), until, true);
      }
      if (route != null) {
        labels.release(route);
      }
    }
  }

  private Optional<Server> serverOf(Placed placed, BalancerView now) {
    for (Member member : now.catalog().membersAt(placed.reply().srcAddress())) {
      if (member.number() == placed.memberNumber() && member.poolId() != null) {
        Server server = view.server(member, placed.member());
        return Optional.of(
            placed.keepsPort() && server.port() != 0 ? server.keepingPorts() : server);
      }
    }
    return Optional.empty();
  }

  private void notePlace(Placed placed) {
    Place place = new Place(placed.member(), nanoTime.getAsLong());
    @Nullable Place before = places.put(placed.reply().srcAddress(), place);
    if (before == null || !before.at.equals(place.at)) {
      view.refreshHosts();
    }
  }

  private void remove(String peer, Gone gone) {
    waiting.remove(gone.request());
    @Nullable Connection known = tables.connections().byRequest(gone.request());
    if (known != null
        && mayReplace(known)
        && known.client().switchId().equals(gone.clientSwitch())
        && coverage.mayKnow(peer, gone.clientSwitch())) {
      teardown.forgetReplicated(known);
    }
  }

  /** A peer has sent everything about its switches: what is missing has gone. */
  private void complete(String peer, Snapshot snapshot) {
    snapshots.remove(peer);
    for (Connection connection : tables.connections().all()) {
      DatapathId clientSwitch = connection.client().switchId();
      if (snapshot.switches.contains(clientSwitch)
          && tables.unowned().test(clientSwitch)
          && !snapshot.connections.contains(connection.request())) {
        teardown.forgetReplicated(connection);
      }
    }
    labels.retain(peer, snapshot.switches, snapshot.labels);
    coverage.complete(peer, snapshot.switches, snapshot.holes);
  }

  /** Whether another controller keeps a label up. To be called by a task of the executor. */
  public boolean holds(LabelledPath labelled) {
    return labels.holds(labelled);
  }

  /**
   * Takes up what could not be taken over before, and lets go of labels that are this controller's
   * by now. To be called by a task of the executor.
   */
  public void tick() {
    BalancerView now = view.get();
    if (!waiting.isEmpty()) {
      Map<FiveTuple, Waiting> again = Map.copyOf(waiting);
      waiting.clear();
      again.values().forEach(each -> place(each.peer, each.placed, now));
    }
    for (String peer : Set.copyOf(incomplete)) {
      if (pendingBytes.get() == 0 && service.send(peer, PeerTopic.CONNECTIONS, again())) {
        incomplete.remove(peer);
      }
    }
    incomplete.retainAll(service.reached());
    forgetOutdated();
    labels.releaseOwn();
  }

  /**
   * Forgets the dormant connections of switches whose master has been silent for too long: there
   * are no rules by which it could be found out that they went on with other members.
   */
  private void forgetOutdated() {
    Set<DatapathId> outdated = coverage.removeOutdated();
    if (!outdated.isEmpty()) {
      tables
          .connections()
          .find(
              connection ->
                  connection.state() == State.DORMANT
                      && outdated.contains(connection.client().switchId()))
          .forEach(teardown::forgetReplicated);
    }
  }

  private static byte[] again() {
    FieldWriter message = new FieldWriter(2);
    ReplicaFormat.begin(message);
    ReplicaFormat.FORMAT.write(new Again(), message);
    return message.toBytes();
  }
}
