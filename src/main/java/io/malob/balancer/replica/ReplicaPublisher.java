package io.malob.balancer.replica;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterators;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Content;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.Connection.State;
import io.malob.balancer.replica.ReplicaEntry.Begin;
import io.malob.balancer.replica.ReplicaEntry.End;
import io.malob.balancer.replica.ReplicaEntry.Gone;
import io.malob.balancer.replica.ReplicaEntry.LabelGone;
import io.malob.balancer.replica.ReplicaEntry.Labelled;
import io.malob.balancer.replica.ReplicaEntry.Placed;
import io.malob.module.FieldWriter;
import io.malob.module.IPeerService;
import io.malob.module.PeerTopic;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelledPath;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Sends the connections and labels of this controller's switches to all others of the cluster:
 * everything to one that can be reached from now on, then each change. It sends what a connection
 * is when it is sent, not what has happened, so that changes can be merged and repeated.
 *
 * <p>{@link #changed} is called by any thread, and costs one element of a queue while another
 * controller can be reached. {@link #tick} is called by one thread at a time, and does the rest.
 * Both the queue and what waits for a peer are bounded: what is too much is replaced by everything,
 * once there is room.
 */
public final class ReplicaPublisher {
  /** The interval at which {@link #tick} is to be called. */
  public static final long TICK_MILLIS = 10;

  private static final int MAX_CHANGES = 1_000_000;
  private static final int MAX_CHANGES_PER_TICK = 20_000;
  private static final int MESSAGE_BYTES = 32_768;

  /** One more connection may not fit. */
  private static final int FULL_BYTES = MESSAGE_BYTES - 160;

  private static final int MAX_WAITING_BYTES = 16 << 20;
  private static final int SLICES_PER_TICK = 16;
  private static final int ENTRIES_PER_SLICE = 256;
  private static final long LABELS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final IPeerService service;
  private final IOFSwitchService switches;
  private final ReplicaTables tables;
  private final LongSupplier nanoTime;

  private final Queue<Connection> changes = new ConcurrentLinkedQueue<>();
  private final AtomicInteger changeCount = new AtomicInteger();
  private volatile boolean isHeard;

  /** What {@link #tick} has to do first. */
  private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();

  private final Map<String, Peer> peers = new HashMap<>();

  /** The labels that the peers know, with their paths. */
  private final Map<Integer, Path> knownLabels = new HashMap<>();

  private ImmutableSet<DatapathId> announced = ImmutableSet.of();
  private final Message shared = new Message(this::share);
  private long labelsAtNanos;

  /** Another controller. */
  private static final class Peer {
    final String name;
    final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    int waitingBytes;
    boolean beginsAnew = true;

    /** What is left of everything: adds one entry after the other. */
    Iterator<Consumer<Message>> rest = Collections.emptyIterator();

    Peer(String name) {
      this.name = name;
    }

    void add(byte[] message) {
      waiting.add(message);
      waitingBytes += message.length;
      if (waitingBytes > MAX_WAITING_BYTES) {
        beginAnew();
      }
    }

    void beginAnew() {
      beginsAnew = true;
      rest = Collections.emptyIterator();
      waiting.clear();
      waitingBytes = 0;
    }
  }

  /** Collects entries, and passes each full message on. */
  private record Message(Consumer<byte[]> receiver, FieldWriter bytes) {
    Message(Consumer<byte[]> receiver) {
      this(receiver, new FieldWriter(MESSAGE_BYTES));
    }

    void add(ReplicaEntry entry) {
      if (bytes.size() == 0) {
        ReplicaFormat.begin(bytes);
      }
      ReplicaFormat.FORMAT.write(entry, bytes);
      if (bytes.size() >= FULL_BYTES) {
        flush();
      }
    }

    void flush() {
      if (bytes.size() > 0) {
        receiver.accept(bytes.toBytes());
        bytes.clear();
      }
    }
  }

  /** Sends nothing before a peer can be reached. */
  public ReplicaPublisher(
      IPeerService service,
      IOFSwitchService switches,
      ReplicaTables tables,
      LongSupplier nanoTime) {
    this.service = service;
    this.switches = switches;
    this.tables = tables;
    this.nanoTime = nanoTime;
  }

  /** A connection has changed. Called by any thread; never blocks. */
  public void changed(Connection connection) {
    if (!isHeard) {
      return;
    }
    if (changeCount.incrementAndGet() > MAX_CHANGES) {
      changeCount.decrementAndGet();
      events.add(() -> peers.values().forEach(Peer::beginAnew));
      isHeard = false; // until the next tick
      return;
    }
    changes.add(connection);
  }

  /** A peer can be reached, or has missed something. */
  void begin(String peer) {
    isHeard = true;
    events.add(() -> peers.computeIfAbsent(peer, Peer::new).beginAnew());
  }

  /** A peer cannot be reached any more. */
  void lost(String peer) {
    events.add(() -> peers.remove(peer));
  }

  /** Sends what has changed. */
  public void tick() {
    for (@Nullable Runnable event = events.poll(); event != null; event = events.poll()) {
      event.run();
    }
    isHeard = !peers.isEmpty();
    long now = nanoTime.getAsLong();
    for (int count = 0; count < MAX_CHANGES_PER_TICK; count++) {
      @Nullable Connection changed = changes.poll();
      if (changed == null) {
        break;
      }
      changeCount.decrementAndGet();
      if (!peers.isEmpty()) {
        add(changed, shared, now);
      }
    }
    if (peers.isEmpty()) {
      return;
    }
    if (now - labelsAtNanos >= LABELS_NANOS) {
      labelsAtNanos = now;
      compareLabels();
      followSwitches();
    }
    shared.flush();
    peers.values().forEach(this::send);
  }

  private void share(byte[] message) {
    for (Peer peer : peers.values()) {
      if (!peer.beginsAnew) {
        peer.add(message);
      }
    }
  }

  /** Adds the present state of a connection that has changed. */
  private void add(Connection changed, Message out, long nowNanos) {
    DatapathId clientSwitch = changed.client().switchId();
    @Nullable Connection now = tables.connections().byRequest(changed.request());
    if (now != null) {
      addPlaced(now, out, nowNanos);
    } else if (!tables.unowned().test(clientSwitch)) {
      out.add(new Gone(changed.request(), clientSwitch));
    }
  }

  /** Adds a connection of this controller, unless it has no paths yet: then it changes again. */
  private void addPlaced(Connection connection, Message out, long nowNanos) {
    Content content = connection.content();
    @Nullable Route route = content.route();
    if (content.state() == State.CLOSED
        || isOfOthers(connection, content)
        || (content.state().hasRules() && (route == null || !route.isReady()))) {
      return;
    }
    out.add(
        new Placed(
            connection.request(),
            connection.reply(),
            connection.vipNumber(),
            content.server().number(),
            content.server().port() == 0,
            connection.algorithm(),
            connection.generation(),
            content.state(),
            content.wasEnded(),
            content.isAnswered(),
            content.isBrief(),
            tables.halfOpen().secondsLeft(content.halfOpenUntil()),
            TimeUnit.NANOSECONDS.toMillis(Math.max(0, nowNanos - content.openedAtNanos())),
            content.client(),
            content.server().at(),
            route == null ? 0 : publish(route.request(), out),
            route == null ? 0 : publish(route.reply(), out)));
  }

  /**
   * Whether another controller publishes a connection. The last connections of a former master are
   * its own, although another one is master by now.
   */
  private boolean isOfOthers(Connection connection, Content content) {
    return tables.unowned().test(content.client().switchId())
        && (connection.isReplicated() || !content.state().hasRules());
  }

  /** The id of a path's label, which all peers get first; 0 for one within a switch. */
  @SuppressWarnings("ReferenceEquality") // it is the same message, or another
  private int publish(LabelledPath labelled, Message out) {
    Path path = labelled.path();
    if (path.hops() == 0) {
      return 0;
    }
    int id = labelled.label().id();
    if (!path.equals(knownLabels.put(id, path))) {
      shared.add(new Labelled(id, path));
      if (out != shared) {
        shared.flush();
      }
    }
    return id;
  }

  /** Publishes labels that have come, moved or gone. */
  private void compareLabels() {
    for (LabelledPath labelled : tables.labels().all()) {
      if (labelled.isReady()
          && tables.unowned().keepsLabel(labelled.label().id(), labelled.path().src())) {
        publish(labelled, shared);
      }
    }
    knownLabels
        .keySet()
        .removeIf(
            id -> {
              boolean isGone = tables.labels().find(new Label(id)) == null;
              if (isGone) {
                shared.add(new LabelGone(id));
              }
              return isGone;
            });
  }

  /**
   * A switch that this controller is master of now, and has read: the others may have missed what
   * its former master has sent last.
   */
  private void followSwitches() {
    ImmutableSet<DatapathId> own = ownSwitches();
    if (tables.read().isComplete() && !announced.containsAll(own)) {
      announced = own;
      peers.values().forEach(Peer::beginAnew);
    } else {
      announced =
          announced.stream()
              .filter(switchId -> !tables.unowned().test(switchId))
              .collect(ImmutableSet.toImmutableSet());
    }
  }

  private ImmutableSet<DatapathId> ownSwitches() {
    return switches.getAllSwitchDpids().stream()
        .filter(tables.read()::contains)
        .filter(switchId -> switches.getActiveSwitch(switchId) != null)
        .collect(ImmutableSet.toImmutableSet());
  }

  private void send(Peer peer) {
    if (!sendWaiting(peer)) {
      return;
    }
    Message message = new Message(peer::add);
    if (peer.beginsAnew) {
      compareLabels();
      shared.flush();
      peer.beginsAnew = false;
      message.add(new Begin(ownSwitches()));
      peer.rest = everything();
    }
    for (int slice = 0; slice < SLICES_PER_TICK && sendWaiting(peer); slice++) {
      for (int count = 0; count < ENTRIES_PER_SLICE && peer.rest.hasNext(); count++) {
        peer.rest.next().accept(message);
      }
      message.flush();
    }
  }

  /** All labels, then all connections as they are when they are added. */
  private Iterator<Consumer<Message>> everything() {
    return Iterators.concat(
        Iterators.transform(
            List.copyOf(knownLabels.keySet()).iterator(), id -> out -> addLabel(id, out)),
        Iterators.transform(
            tables.connections().all().iterator(),
            connection -> out -> addPlaced(connection, out, nanoTime.getAsLong())),
        Iterators.singletonIterator(out -> out.add(new End())));
  }

  private void addLabel(int id, Message out) {
    @Nullable Path path = knownLabels.get(id);
    if (path != null) { // else the peer knows that it is gone
      out.add(new Labelled(id, path));
    }
  }

  /** Sends what waits for a peer; false if some of it has to wait longer. */
  private boolean sendWaiting(Peer peer) {
    for (byte @Nullable [] next = peer.waiting.peek(); next != null; next = peer.waiting.peek()) {
      if (!service.send(peer.name, PeerTopic.CONNECTIONS, next)) {
        return false;
      }
      peer.waiting.remove();
      peer.waitingBytes -= next.length;
    }
    return true;
  }
}
