package io.malob.balancer.connection;

import io.malob.algorithm.FiveTuple;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Goes over the connections of a {@link ConnectionTable}: first over those with rules, then over
 * the dormant ones, then over those that have become dormant or gone on meanwhile, which may have
 * been missed.
 */
final class ConnectionWalk implements Iterator<Connection> {
  private final Predicate<FiveTuple> condition;
  private final Queue<Connection> moved = new ConcurrentLinkedQueue<>();
  private final Queue<Connection> batch = new ArrayDeque<>();
  private final Iterator<Connection> withRules;
  private final DormantStripe[] stripes;
  private final List<WeakReference<ConnectionWalk>> walks;
  private final WeakReference<ConnectionWalk> reference = new WeakReference<>(this);
  private int stripe;
  private int row;
  private @Nullable Connection next;

  ConnectionWalk(
      Predicate<FiveTuple> condition,
      ConnectionIndex withRules,
      DormantStripe[] stripes,
      List<WeakReference<ConnectionWalk>> walks) {
    this.condition = condition;
    this.stripes = stripes;
    this.walks = walks;
    walks.removeIf(each -> each.get() == null); // some were given up
    walks.add(reference);
    this.withRules = withRules.all().iterator();
  }

  /** A connection has become dormant or gone on. */
  void moved(Connection connection) {
    moved.add(connection);
  }

  @Override
  public boolean hasNext() {
    while (next == null) {
      @Nullable Connection candidate = advance();
      if (candidate == null) {
        walks.remove(reference);
        return false;
      }
      if (condition.test(candidate.request())) {
        next = candidate;
      }
    }
    return true;
  }

  private @Nullable Connection advance() {
    if (withRules.hasNext()) {
      return withRules.next();
    }
    @Nullable Connection first = batch.poll();
    while (first == null && readRows()) {
      first = batch.poll();
    }
    return first == null ? moved.poll() : first;
  }

  /** Makes objects of some rows; false if there are no more. */
  private boolean readRows() {
    if (stripe == stripes.length) {
      return false;
    }
    DormantConnections rows = stripes[stripe].rows;
    StampedLock lock = stripes[stripe].lock;
    long stamp = lock.readLock();
    try {
      int end = Math.min(rows.capacity(), row + DormantStripe.MAX_BATCH);
      for (; row < end; row++) {
        @Nullable Connection connection = rows.picture(row, condition);
        if (connection != null) {
          batch.add(connection);
        }
      }
      if (row >= rows.capacity()) {
        stripe++;
        row = 0;
      }
      return true;
    } finally {
      lock.unlockRead(stamp);
    }
  }

  @Override
  public Connection next() {
    @Nullable Connection found = hasNext() ? next : null;
    if (found == null) {
      throw new NoSuchElementException();
    }
    next = null;
    return found;
  }
}
