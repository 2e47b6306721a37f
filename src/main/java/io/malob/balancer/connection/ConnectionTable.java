package io.malob.balancer.connection;

import io.malob.algorithm.FiveTuple;
import io.malob.balancer.connection.Connection.Effects;
import io.malob.balancer.connection.Connection.Route;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All connections, open and dormant, found by the five-tuple of their requests and by that of their
 * replies. Bounded: those that have been dormant for longest are forgotten first. Thread-safe; a
 * look-up takes no lock.
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

  private final ConnectionIndex byRequest = new ConnectionIndex(ConnectionIndex.Side.REQUEST);
  private final ConnectionIndex byReply = new ConnectionIndex(ConnectionIndex.Side.REPLY);
  private final ConcurrentLinkedQueue<Dormant> queue = new ConcurrentLinkedQueue<>();
  private final ReentrantLock sweeping = new ReentrantLock();
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger dormant = new AtomicInteger();

  /** The length of the queue, which the queue itself would have to walk for. */
  private final AtomicInteger queued = new AtomicInteger();

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
  }

  /** The connection of these request packets, or null. */
  public @Nullable Connection byRequest(FiveTuple request) {
    return byRequest.get(request);
  }

  /** The connection of these reply packets, as the member makes them, or null. */
  public @Nullable Connection byReply(FiveTuple reply) {
    return byReply.get(reply);
  }

  /** Adds an open connection if both sides can distinguish it from all others. */
  public Admission add(Connection connection) {
    if (open.incrementAndGet() > maxOpen) {
      open.decrementAndGet();
      return Admission.FULL;
    }
    Connection clash = byReply.putIfAbsent(connection.reply(), connection);
    if (clash != null) {
      open.decrementAndGet();
      boolean same = clash.request().equals(connection.request());
      return same ? Admission.EXISTS : Admission.CLASH;
    }
    if (byRequest.putIfAbsent(connection.request(), connection) != null) {
      byReply.remove(connection);
      open.decrementAndGet();
      return Admission.EXISTS;
    }
    return Admission.ADDED;
  }

  /** The rules of a connection have expired: it is kept as dormant. */
  public Effects expire(Connection connection) {
    long now = nanoTime.getAsLong();
    Effects effects = connection.expire(now);
    if (effects.happened()) {
      open.decrementAndGet();
      queue.add(new Dormant(connection, now));
      queued.incrementAndGet();
      if (dormant.incrementAndGet() > maxDormant) {
        sweep();
      }
    }
    return effects;
  }

  /** A dormant connection goes on; not if the table is full. */
  public Effects reactivate(Connection connection) {
    Effects effects = open.incrementAndGet() > maxOpen ? Effects.NONE : connection.reactivate();
    (effects.happened() ? dormant : open).decrementAndGet();
    return effects;
  }

  /** Forgets a connection, whatever its state. */
  public Effects close(Connection connection) {
    return left(connection, connection.close());
  }

  /** Forgets a connection that has rules on these paths. */
  public Effects closeOn(Connection connection, Route route) {
    return left(connection, connection.closeOn(route));
  }

  /** Forgets a dormant connection. */
  public Effects forget(Connection connection) {
    return left(connection, connection.forget());
  }

  private Effects left(Connection connection, Effects effects) {
    if (effects.happened()) {
      (effects.before().hasRules() ? open : dormant).decrementAndGet();
      byRequest.remove(connection);
      byReply.remove(connection);
      forgotten.accept(connection);
    }
    return effects;
  }

  /** Forgets the dormant connections that are too many or too old. To be called now and then. */
  public void sweep() {
    if (!sweeping.tryLock()) {
      return; // another thread is at it
    }
    try {
      long now = nanoTime.getAsLong();
      @Nullable Dormant first = queue.peek();
      while (first != null && (first.isOutdated() || hasToGo(first, now))) {
        queue.poll();
        queued.decrementAndGet();
        if (!first.isOutdated()) {
          forget(first.connection);
        }
        first = queue.peek();
      }
      if (queued.get() > 2L * maxDormant) {
        dropOutdated();
      }
    } finally {
      sweeping.unlock();
    }
  }

  private void dropOutdated() {
    for (Iterator<Dormant> each = queue.iterator(); each.hasNext(); ) {
      if (each.next().isOutdated()) {
        each.remove();
        queued.decrementAndGet();
      }
    }
  }

  private boolean hasToGo(Dormant entry, long nowNanos) {
    return nowNanos - entry.sinceNanos >= dormantNanos || dormant.get() > maxDormant;
  }

  /** All connections that meet a condition; linear, for administrators' changes. */
  public List<Connection> find(Predicate<Connection> condition) {
    List<Connection> found = new ArrayList<>();
    for (Connection connection : byRequest.all()) {
      if (condition.test(connection)) {
        found.add(connection);
      }
    }
    return found;
  }

  /** All connections, without a copy: what comes and goes meanwhile may be among them or not. */
  public Iterable<Connection> all() {
    return byRequest.all();
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

  /** How many entries the queue has, with those of connections that are dormant no more. */
  int queued() {
    return queued.get();
  }

  /** An entry of the queue, which stays there when the connection goes on. */
  private record Dormant(Connection connection, long sinceNanos) {
    /** Whether the connection has gone on since, or is forgotten. */
    boolean isOutdated() {
      return !connection.isDormantSince(sinceNanos);
    }
  }
}
