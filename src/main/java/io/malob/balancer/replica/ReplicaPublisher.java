package io.malob.balancer.replica;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Content;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.Connection.State;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.ForeignSwitches;
import io.malob.balancer.connection.HalfOpenLimit;
import io.malob.balancer.recovery.ReadSwitches;
import io.malob.balancer.replica.ReplicaEntry.Begin;
import io.malob.balancer.replica.ReplicaEntry.End;
import io.malob.balancer.replica.ReplicaEntry.Gone;
import io.malob.balancer.replica.ReplicaEntry.LabelGone;
import io.malob.balancer.replica.ReplicaEntry.Labelled;
import io.malob.balancer.replica.ReplicaEntry.Placed;
import io.malob.module.IPeerService;
import io.malob.module.PeerTopic;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
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
  private static final int MAX_WAITING_BYTES = 16 << 20;
  private static final int SLICES_PER_TICK = 16;
  private static final int ENTRIES_PER_SLICE = 256;
  private static final long LABELS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final IPeerService service;
  private final IOFSwitchService switches;
  private final ReadSwitches readSwitches;
  private final ForeignSwitches foreign;
  private final ConnectionTable connections;
  private final LabelTable labels;
  private final HalfOpenLimit halfOpen;
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

    /** The labels that are left of everything; null if all have been sent. */
    @Nullable Iterator<Integer> labels;

    /**
     * The connections that are left of everything, after the labels; null if all have been sent.
     */
    @Nullable Iterator<Connection> rest;

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
      labels = null;
      rest = null;
      waiting.clear();
      waitingBytes = 0;
    }
  }

  /** Collects entries, and passes each full message on. */
  private static final class Message {
    private final Consumer<byte[]> receiver;
    private ByteBuffer bytes = ByteBuffer.allocate(MESSAGE_BYTES);

    Message(Consumer<byte[]> receiver) {
      this.receiver = receiver;
    }

    void add(ReplicaEntry entry) {
      int room = ReplicaFormat.maxBytes(entry);
      if (bytes.remaining() < room) {
        flush();
      }
      if (bytes.remaining() <= room) {
        bytes = ByteBuffer.allocate(room + 1);
      }
      if (bytes.position() == 0) {
        bytes.put(ReplicaFormat.VERSION);
      }
      ReplicaFormat.write(entry, bytes);
    }

    boolean isEmpty() {
      return bytes.position() == 0;
    }

    void flush() {
      if (!isEmpty()) {
        receiver.accept(Arrays.copyOf(bytes.array(), bytes.position()));
        bytes.clear();
      }
    }
  }

  /** Sends nothing before a peer can be reached. */
  public ReplicaPublisher(
      IPeerService service,
      IOFSwitchService switches,
      ReadSwitches readSwitches,
      ForeignSwitches foreign,
      ConnectionTable connections,
      LabelTable labels,
      HalfOpenLimit halfOpen,
      LongSupplier nanoTime) {
    this.service = service;
    this.switches = switches;
    this.readSwitches = readSwitches;
    this.foreign = foreign;
    this.connections = connections;
    this.labels = labels;
    this.halfOpen = halfOpen;
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
    peers.values().forEach(peer -> send(peer, now));
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
    @Nullable Connection now = connections.byRequest(changed.request());
    if (now != null) {
      addPlaced(now, out, nowNanos);
    } else if (!foreign.test(clientSwitch)) {
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
            halfOpen.secondsLeft(content.halfOpenUntil()),
            TimeUnit.NANOSECONDS.toMillis(Math.max(0, nowNanos - content.openedAtNanos())),
            content.client(),
            content.server().at(),
            route == null ? 0 : tell(route.request(), out),
            route == null ? 0 : tell(route.reply(), out)));
  }

  /**
   * Whether another controller tells of a connection. The last connections of a former master are
   * its own, although another one is master by now.
   */
  private boolean isOfOthers(Connection connection, Content content) {
    return foreign.test(content.client().switchId())
        && (connection.isReplicated() || !content.state().hasRules());
  }

  /** The id of a path's label, which all peers are told of first; 0 for one within a switch. */
  private int tell(LabelledPath labelled, Message out) {
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

  /** Tells of labels that have come, moved or gone. */
  private void compareLabels() {
    for (LabelledPath labelled : labels.all()) {
      if (labelled.isReady() && foreign.keepsLabel(labelled.label().id(), labelled.path().src())) {
        tell(labelled, shared);
      }
    }
    knownLabels
        .keySet()
        .removeIf(
            id -> {
              boolean isGone = labels.find(new Label(id)) == null;
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
    if (readSwitches.isComplete() && !announced.containsAll(own)) {
      announced = own;
      peers.values().forEach(Peer::beginAnew);
    } else {
      announced =
          announced.stream()
              .filter(switchId -> !foreign.test(switchId))
              .collect(ImmutableSet.toImmutableSet());
    }
  }

  private ImmutableSet<DatapathId> ownSwitches() {
    return switches.getAllSwitchDpids().stream()
        .filter(readSwitches::contains)
        .filter(switchId -> switches.getActiveSwitch(switchId) != null)
        .collect(ImmutableSet.toImmutableSet());
  }

  private void send(Peer peer, long nowNanos) {
    if (!sendWaiting(peer)) {
      return;
    }
    Message message = new Message(peer::add);
    if (peer.beginsAnew) {
      compareLabels();
      shared.flush();
      peer.beginsAnew = false;
      message.add(new Begin(ownSwitches()));
      peer.labels = List.copyOf(knownLabels.keySet()).iterator();
    }
    for (int slice = 0; slice < SLICES_PER_TICK && sendWaiting(peer); slice++) {
      if (peer.labels != null) {
        addLabels(peer, peer.labels, message);
      } else if (peer.rest != null) {
        addConnections(peer, peer.rest, message, nowNanos);
      }
      message.flush();
    }
  }

  private void addLabels(Peer peer, Iterator<Integer> ids, Message message) {
    for (int count = 0; count < ENTRIES_PER_SLICE && ids.hasNext(); count++) {
      int id = ids.next();
      @Nullable Path path = knownLabels.get(id);
      if (path != null) { // else the peer has been told that it is gone
        message.add(new Labelled(id, path));
      }
    }
    if (!ids.hasNext()) {
      peer.labels = null;
      peer.rest = connections.all().iterator();
    }
  }

  private void addConnections(
      Peer peer, Iterator<Connection> rest, Message message, long nowNanos) {
    for (int count = 0; count < ENTRIES_PER_SLICE && rest.hasNext(); count++) {
      addPlaced(rest.next(), message, nowNanos);
    }
    if (!rest.hasNext()) {
      peer.rest = null;
      message.add(new End());
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
