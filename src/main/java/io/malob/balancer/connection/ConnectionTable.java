package io.malob.balancer.connection;

import io.malob.algorithm.FiveTuple;
import io.malob.balancer.connection.Connection.Left;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.Connection.State;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All connections, open and dormant, found by the five-tuple of their requests and by that of their
 * replies. Bounded: the dormant ones that fell asleep first are forgotten first. Thread-safe; a
 * look-up takes no lock.
 */
public final class ConnectionTable {

  /** What becomes of a new connection. */
  public enum Admission {
    ADDED,
    /** Another thread was faster: the connection of that five-tuple is there already. */
    EXISTS,
    /** The member could not tell it from a connection that it has. */
    CLASH,
    /** The table is full. */
    FULL
  }

  private final int maxOpen;
  private final int maxDormant;
  private final long dormantNanos;
  private final LongSupplier nanoTime;
  private final Consumer<Connection> forgotten;

  private final Map<FiveTuple, Connection> byRequest = new ConcurrentHashMap<>();
  private final Map<FiveTuple, Connection> byReply = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Sleeper> sleepers = new ConcurrentLinkedQueue<>();
  private final ReentrantLock sweeping = new ReentrantLock();
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger asleep = new AtomicInteger();

  /** The length of the queue, which the queue itself would have to walk for. */
  private final AtomicInteger queued = new AtomicInteger();

  /**
   * An empty table.
   *
   * @param maxOpen how many open connections there may be
   * @param maxDormant how many dormant ones are remembered
   * @param dormantNanos for how long
   * @param forgotten told of each connection that leaves the table, on the thread that removes it
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

  /** Adds an open connection, if it can be told from all others on both sides. */
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
      byReply.remove(connection.reply(), connection);
      open.decrementAndGet();
      return Admission.EXISTS;
    }
    return Admission.ADDED;
  }

  /** Puts an open connection to sleep; null if it is not open. */
  public @Nullable Left sleep(Connection connection) {
    long now = nanoTime.getAsLong();
    @Nullable Left left = connection.sleep(now);
    if (left == null) {
      return null;
    }
    open.decrementAndGet();
    sleepers.add(new Sleeper(connection, now));
    queued.incrementAndGet();
    if (asleep.incrementAndGet() > maxDormant) {
      sweep();
    }
    return left;
  }

  /**
   * Wakes a dormant connection, which is then to be put on the counts; false if it is not dormant,
   * or if the table is full.
   */
  public boolean wake(Connection connection) {
    if (open.incrementAndGet() > maxOpen || !connection.wake()) {
      open.decrementAndGet();
      return false;
    }
    asleep.decrementAndGet();
    return true;
  }

  /** Forgets a connection that is in that state; null if it is not. */
  public @Nullable Left forget(Connection connection, State expected) {
    return forgotten(connection, connection.close(expected), expected);
  }

  /** Forgets an open connection that is on these paths; null if it is not. */
  public @Nullable Left forgetOn(Connection connection, Route route) {
    return forgotten(connection, connection.closeOn(route), State.OPEN);
  }

  private @Nullable Left forgotten(Connection connection, @Nullable Left left, State before) {
    if (left != null) {
      (before == State.OPEN ? open : asleep).decrementAndGet();
      byRequest.remove(connection.request(), connection);
      byReply.remove(connection.reply(), connection);
      forgotten.accept(connection);
    }
    return left;
  }

  /** Forgets the dormant connections that are too many or too old. To be called now and then. */
  public void sweep() {
    if (!sweeping.tryLock()) {
      return; // another thread is at it
    }
    try {
      long now = nanoTime.getAsLong();
      Sleeper first = sleepers.peek();
      while (first != null && (first.woke() || hasToGo(first, now))) {
        sleepers.poll();
        queued.decrementAndGet();
        if (!first.woke()) {
          forget(first.connection, State.DORMANT);
        }
        first = sleepers.peek();
      }
      if (queued.get() > 2L * maxDormant) {
        dropWoken();
      }
    } finally {
      sweeping.unlock();
    }
  }

  private void dropWoken() {
    for (Iterator<Sleeper> each = sleepers.iterator(); each.hasNext(); ) {
      if (each.next().woke()) {
        each.remove();
        queued.decrementAndGet();
      }
    }
  }

  private boolean hasToGo(Sleeper sleeper, long nowNanos) {
    return nowNanos - sleeper.sinceNanos >= dormantNanos || asleep.get() > maxDormant;
  }

  /** All connections that meet a condition; linear, for administrators' changes. */
  public List<Connection> find(Predicate<Connection> condition) {
    List<Connection> found = new ArrayList<>();
    for (Connection connection : byRequest.values()) {
      if (condition.test(connection)) {
        found.add(connection);
      }
    }
    return found;
  }

  /** All connections, without a copy: what comes and goes meanwhile may be among them or not. */
  public Iterable<Connection> all() {
    return Collections.unmodifiableCollection(byRequest.values());
  }

  /** Whether half of the room for dormant connections is taken. */
  public boolean isHalfAsleep() {
    return asleep.get() >= maxDormant / 2;
  }

  /** Whether no more connections can be opened. */
  public boolean isFull() {
    return open.get() >= maxOpen;
  }

  /** How many connections are open. */
  public int open() {
    return open.get();
  }

  /** How many connections are dormant. */
  public int dormant() {
    return asleep.get();
  }

  /** How many entries the queue of sleepers has, with those that have woken up since. */
  int queued() {
    return queued.get();
  }

  private record Sleeper(Connection connection, long sinceNanos) {
    /** Whether the connection has woken up since, or is forgotten. */
    boolean woke() {
      return !connection.isAsleepSince(sinceNanos);
    }
  }
}
