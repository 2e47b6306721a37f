package io.malob.balancer.connection;

import com.google.common.collect.FluentIterable;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.connection.Connection.Moved;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.Connection.State;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All connections, open and dormant, found by the five-tuple of their requests and by that of their
 * replies. Bounded: of the clients under one lock, some give way to others, as {@link
 * DormantConnections} says.
 *
 * <p>Connections with rules are objects in two maps; dormant ones are rows of {@link
 * DormantConnections}. A look-up that finds a row makes an object of it, a picture, which stays
 * outside of the table until it is reactivated. Every transition into, within or out of {@link
 * Connection.State#DORMANT} is made here, and so is every end.
 *
 * <p>Thread-safe. A lock guards the rows and the transitions of some clients' connections: there
 * are many, so that threads hardly ever meet at one. It is held for a few instructions, or while a
 * few hundred rows move into larger arrays. A new connection shares it with others. A look-up takes
 * it only if it finds a row, or if a row is written meanwhile.
 */
public final class ConnectionTable {
  /** What becomes of a new connection. */
  public enum Admission {
    ADDED,
    /** Another thread was faster: a connection of that five-tuple exists already. */
    EXISTS,
    /** The member could not distinguish it from one of its connections. */
    CLASH,
    /** The table is full. */
    FULL
  }

  private final int maxOpen;
  private final int maxDormant;
  private final long dormantNanos;
  private final LongSupplier nanoTime;
  private final Consumer<Connection> forgotten;

  private final ConnectionIndex byRequest = new ConnectionIndex(/* isReply= */ false);
  private final ConnectionIndex byReply = new ConnectionIndex(/* isReply= */ true);
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger dormant = new AtomicInteger();

  private final DormantStripe[] stripes;

  /** See {@link #subscribe}. */
  private volatile Consumer<Connection> subscriber = connection -> {};

  /** The walks under way, which learn of connections that become dormant or go on. */
  private final List<WeakReference<ConnectionWalk>> walks = new CopyOnWriteArrayList<>();

  /**
   * An empty table.
   *
   * @param maxOpen the max number of open connections
   * @param maxDormant the max number of dormant connections
   * @param dormantNanos the time that a dormant connection is kept
   * @param forgotten receives each connection that leaves the table, on the thread that removes it
   */
  public ConnectionTable(
      int maxOpen,
      int maxDormant,
      long dormantNanos,
      LongSupplier nanoTime,
      Consumer<Connection> forgotten) {
    this.maxOpen = maxOpen;
    this.maxDormant = maxDormant;
    this.dormantNanos = dormantNanos;
    this.nanoTime = nanoTime;
    this.forgotten = forgotten;
    stripes = DormantStripe.stripes(maxDormant);
  }

  /**
   * Publishes each change of a connection that other controllers must know: it has got its paths,
   * changed its state, its paths or its attachments, or left the table.
   *
   * @param receiver called by any thread after the change, maybe within a lock; must not block
   */
  public void subscribe(Consumer<Connection> receiver) {
    subscriber = receiver;
  }

  /** A connection has changed by a method of its own. */
  public void changed(Connection connection) {
    subscriber.accept(connection);
  }

  private DormantStripe stripeOf(Connection connection) {
    return DormantStripe.of(connection.request(), false, stripes);
  }

  /** The connection of these request packets, or null. */
  public @Nullable Connection byRequest(FiveTuple request) {
    @Nullable Connection open = byRequest.get(request);
    return open == null ? search(request, false) : open;
  }

  /** The connection of these reply packets, as the member makes them, or null. */
  public @Nullable Connection byReply(FiveTuple reply) {
    @Nullable Connection open = byReply.get(reply);
    return open == null ? search(reply, true) : open;
  }

  /**
   * Looks among the dormant connections and the others, as both are at one moment: a connection
   * that goes from here to there is not missed.
   */
  private @Nullable Connection search(FiveTuple tuple, boolean isReply) {
    ConnectionIndex others = isReply ? byReply : byRequest;
    DormantStripe stripe = DormantStripe.of(tuple, isReply, stripes);
    long stamp = stripe.lock.tryOptimisticRead();
    if (stamp != 0 && stripe.rows.findOptimistically(tuple, isReply) == DormantConnections.NONE) {
      @Nullable Connection found = others.get(tuple);
      if (stripe.lock.validate(stamp)) {
        return found;
      }
    }
    stamp = stripe.lock.readLock();
    try {
      int row = stripe.rows.find(tuple, isReply);
      return row == DormantConnections.NONE ? others.get(tuple) : stripe.rows.picture(row);
    } finally {
      stripe.lock.unlockRead(stamp);
    }
  }

  /** Adds an open connection if both sides can distinguish it from all others. */
  public Admission add(Connection connection) {
    if (open.incrementAndGet() > maxOpen) {
      open.decrementAndGet();
      return Admission.FULL;
    }
    Admission admission;
    DormantStripe stripe = stripeOf(connection);
    // many may add at once, but none becomes dormant or goes on
    long stamp = stripe.lock.readLock();
    try {
      admission = addIfDistinct(connection, stripe.rows);
    } finally {
      stripe.lock.unlockRead(stamp);
    }
    if (admission != Admission.ADDED) {
      open.decrementAndGet();
    }
    return admission;
  }

  private Admission addIfDistinct(Connection connection, DormantConnections rows) {
    int row = rows.find(connection.reply(), true);
    @Nullable Connection clash =
        row == DormantConnections.NONE
            ? byReply.putIfAbsent(connection.reply(), connection)
            : rows.picture(row);
    if (clash != null) {
      boolean same = clash.request().equals(connection.request());
      return same ? Admission.EXISTS : Admission.CLASH;
    }
    if (rows.find(connection.request(), false) != DormantConnections.NONE
        || byRequest.putIfAbsent(connection.request(), connection) != null) {
      byReply.remove(connection);
      return Admission.EXISTS;
    }
    return Admission.ADDED;
  }

  /** The rules of a connection have expired: it is kept as dormant. */
  public Effects expire(Connection connection) {
    return expire(connection, connection::expire);
  }

  /** The same for a connection that has rules on these paths. */
  public Effects expireOn(Connection connection, Route route) {
    return expire(connection, nowNanos -> connection.expireOn(route, nowNanos));
  }

  private Effects expire(Connection connection, LongFunction<Effects> transition) {
    long now = nanoTime.getAsLong();
    Effects effects;
    DormantStripe stripe = stripeOf(connection);
    long stamp = stripe.lock.writeLock();
    try {
      effects = transition.apply(now);
      if (effects.happened()) {
        stripe.rows.add(connection);
        dormant.incrementAndGet();
        removeFromMaps(connection);
        open.decrementAndGet();
        noteInWalks(connection);
      }
    } finally {
      stripe.lock.unlockWrite(stamp);
    }
    if (dormant.get() > maxDormant) {
      sweep(stripe);
    }
    if (effects.happened()) {
      changed(connection);
    }
    return effects;
  }

  /**
   * A dormant connection goes on; not if the table is full, or if the connection went on as another
   * object.
   */
  public Effects reactivate(Connection connection) {
    if (open.incrementAndGet() > maxOpen) {
      open.decrementAndGet();
      return Effects.NONE;
    }
    Effects effects = Effects.NONE;
    DormantStripe stripe = stripeOf(connection);
    long stamp = stripe.lock.writeLock();
    try {
      int row = rowOf(connection, stripe.rows);
      if (row != DormantConnections.NONE) {
        effects = connection.reactivate();
        byRequest.putIfAbsent(connection.request(), connection);
        byReply.putIfAbsent(connection.reply(), connection);
        remove(row, stripe.rows);
        noteInWalks(connection);
      }
    } finally {
      stripe.lock.unlockWrite(stamp);
    }
    if (!effects.happened()) {
      open.decrementAndGet();
    }
    return effects;
  }

  /** The row of a dormant connection, which is brought up to date with it. */
  private static int rowOf(Connection connection, DormantConnections rows) {
    int row = connection.state() == State.DORMANT ? rows.find(connection) : DormantConnections.NONE;
    if (row != DormantConnections.NONE) {
      connection.restore(rows.content(row));
    }
    return row;
  }

  private void remove(int row, DormantConnections rows) {
    rows.remove(row);
    dormant.decrementAndGet();
  }

  /** The client of a connection, in any state, has ended it. */
  public Effects end(Connection connection, long nowNanos) {
    Effects effects = connection.end(nowNanos);
    boolean isDormant = connection.state() == State.DORMANT;
    if (isDormant) {
      changeRow(connection, dormant -> dormant.end(nowNanos));
    }
    if (isDormant || effects.happened()) {
      changed(connection);
    }
    return effects;
  }

  /**
   * The ends of a connection, in any state, are attached there now.
   *
   * @return as {@link Connection#relocate} says
   */
  public @Nullable Moved relocate(
      Connection connection, Attachment client, Server server, long nowNanos, long restNanos) {
    @Nullable Moved moved =
        changeRow(connection, current -> current.relocate(client, server, nowNanos, restNanos));
    if (moved != null) {
      changed(connection);
    }
    return moved;
  }

  /** Changes a connection and its row; null if it was dormant and is so no more. */
  private <T> @Nullable T changeRow(
      Connection connection, Function<Connection, @Nullable T> change) {
    DormantStripe stripe = stripeOf(connection);
    long stamp = stripe.lock.writeLock();
    try {
      int row = rowOf(connection, stripe.rows);
      if (connection.state() == State.DORMANT && row == DormantConnections.NONE) {
        return null;
      }
      @Nullable T result = change.apply(connection);
      if (row != DormantConnections.NONE) {
        stripe.rows.put(row, connection.dormancy());
      }
      return result;
    } finally {
      stripe.lock.unlockWrite(stamp);
    }
  }

  /** Forgets a connection, in any state. */
  public Effects close(Connection connection) {
    return leave(connection, Connection::close);
  }

  /** Forgets a connection that has rules on these paths. */
  public Effects closeOn(Connection connection, Route route) {
    return leave(connection, current -> current.closeOn(route));
  }

  /** Forgets a dormant connection. */
  public Effects forget(Connection connection) {
    return leave(connection, Connection::forget);
  }

  private Effects leave(Connection connection, Function<Connection, Effects> transition) {
    @Nullable Connection current = connection;
    Effects effects = Effects.NONE;
    DormantStripe stripe = stripeOf(connection);
    long stamp = stripe.lock.writeLock();
    try {
      int row = rowOf(connection, stripe.rows);
      if (row == DormantConnections.NONE && connection.state() == State.DORMANT) {
        current = goneOn(connection);
      }
      if (current != null) {
        effects = transition.apply(current);
      }
      if (current != null && effects.happened()) {
        left(current, row, stripe.rows);
      }
    } finally {
      stripe.lock.unlockWrite(stamp);
    }
    if (current != null && effects.happened()) {
      forgotten.accept(current);
      changed(current);
    }
    return effects;
  }

  /** The connection of an outdated picture, if it has gone on as another object; else null. */
  private @Nullable Connection goneOn(Connection picture) {
    @Nullable Connection open = byRequest.get(picture.request());
    return open != null
            && open.generation() == picture.generation()
            && open.reply().equals(picture.reply())
        ? open
        : null;
  }

  private void left(Connection connection, int row, DormantConnections rows) {
    if (row == DormantConnections.NONE) {
      open.decrementAndGet();
      removeFromMaps(connection);
    } else {
      remove(row, rows);
    }
  }

  private void removeFromMaps(Connection connection) {
    byRequest.remove(connection);
    byReply.remove(connection);
  }

  /** Forgets the dormant connections that are too many or too old. To be called now and then. */
  public void sweep() {
    for (DormantStripe stripe : stripes) {
      sweep(stripe);
    }
  }

  private void sweep(DormantStripe stripe) {
    long now = nanoTime.getAsLong();
    List<Connection> batch;
    do {
      batch = sweepBatch(stripe, now);
      batch.forEach(forgotten);
      batch.forEach(this::changed);
    } while (batch.size() == DormantStripe.MAX_BATCH);
  }

  private List<Connection> sweepBatch(DormantStripe stripe, long nowNanos) {
    List<Connection> batch = new ArrayList<>();
    DormantConnections rows = stripe.rows;
    long stamp = stripe.lock.writeLock();
    try {
      int row = toGo(rows, nowNanos);
      while (batch.size() < DormantStripe.MAX_BATCH && row != DormantConnections.NONE) {
        @Nullable Connection connection = rows.picture(row);
        if (connection != null && connection.forget().happened()) {
          batch.add(connection);
        }
        remove(row, rows);
        row = toGo(rows, nowNanos);
      }
    } finally {
      stripe.lock.unlockWrite(stamp);
    }
    return batch;
  }

  /** A row that is too old, or gives way because there are too many. */
  private int toGo(DormantConnections rows, long nowNanos) {
    int old = rows.olderThan(dormantNanos, nowNanos);
    return old == DormantConnections.NONE && dormant.get() > maxDormant ? rows.next() : old;
  }

  /** All connections that meet a condition; linear, for administrators' changes. */
  public List<Connection> find(Predicate<Connection> condition) {
    return FluentIterable.from(all()).filter(condition::test).toList();
  }

  /** All connections with rules that meet a condition; linear in those. */
  public List<Connection> findWithRules(Predicate<Connection> condition) {
    return FluentIterable.from(withRules()).filter(condition::test).toList();
  }

  /**
   * All connections with rules, without a copy: what comes and goes meanwhile may be among them or
   * not.
   */
  public Iterable<Connection> withRules() {
    return byRequest.all();
  }

  /**
   * All connections, open and dormant, without a copy: what comes and goes meanwhile may be among
   * them or not. A connection that becomes dormant or goes on meanwhile may be among them twice.
   */
  public Iterable<Connection> all() {
    return all(any -> true);
  }

  /** As {@link #all()}, but only those whose requests meet a condition. */
  Iterable<Connection> all(Predicate<FiveTuple> condition) {
    return () -> new ConnectionWalk(condition, byRequest, stripes, walks);
  }

  private void noteInWalks(Connection connection) {
    for (WeakReference<ConnectionWalk> each : walks) {
      @Nullable ConnectionWalk walk = each.get();
      if (walk != null) {
        walk.moved(connection);
      }
    }
  }

  /** Whether half of the room for dormant connections is taken. */
  public boolean isHalfFullOfDormant() {
    return dormant.get() >= maxDormant / 2;
  }

  /** Whether no more connections can be opened. */
  public boolean isFull() {
    return open.get() >= maxOpen;
  }

  /** How many connections have rules. */
  public int open() {
    return open.get();
  }

  /** How many connections are dormant. */
  public int dormant() {
    return dormant.get();
  }

  /** How many bytes are taken by what is kept of dormant connections. */
  long bytesOfDormant() {
    return Arrays.stream(stripes).mapToLong(DormantStripe::bytes).sum();
  }
}
