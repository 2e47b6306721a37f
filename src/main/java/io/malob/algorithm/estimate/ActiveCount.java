package io.malob.algorithm.estimate;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connections that are active on a link or a server, and how many of them a measurement of it has
 * seen. Connections placed since the measurement began count in addition: otherwise, every
 * connection between two measurements would go to the same server (the herding of greedy rules on
 * stale data; M. Mitzenmacher, How useful is old information, 2000).
 *
 * <p>A measurement covers the time since the one before it. It includes connections placed
 * meanwhile only in part, so it certainly covers a connection that was active at two measurements
 * in a row. Counted by any thread, measured by one at a time; no thread waits.
 */
public final class ActiveCount {
  private final AtomicInteger active = new AtomicInteger();
  private volatile int measured;
  private volatile int covered;

  /**
   * A copy for a trial, without some of the active connections, as if they had ended since the
   * measurement; not below 0.
   *
   * @param covered further active connections, which the measurement covers
   */
  public ActiveCount without(int connections, int covered) {
    ActiveCount copy = new ActiveCount();
    copy.active.set(Math.max(0, active.get() + covered - connections));
    copy.measured = Math.max(0, measured + covered - connections);
    copy.covered = this.covered + covered;
    return copy;
  }

  /** Adds connections that have become active; a negative number removes them. */
  public void add(int change) {
    active.addAndGet(change);
  }

  /**
   * Counts a newly active connection, unless the given number are active already. Returns whether
   * it counted.
   */
  public boolean addOne(int limit) {
    boolean counted = active.incrementAndGet() <= limit;
    if (!counted) {
      active.decrementAndGet();
    }
    return counted;
  }

  /** How many are active now. */
  public int now() {
    return active.get();
  }

  /** There is a new measurement. */
  public void measured() {
    int now = active.get();
    covered = Math.min(measured, now);
    measured = now;
  }

  /** How many were active at the latest measurement. */
  public int atMeasurement() {
    return measured;
  }

  /** The number of connections that the latest measurement certainly covers. */
  public int covered() {
    return covered;
  }

  /**
   * The number of active connections beyond those that the latest measurement certainly covers;
   * negative if more have ended since than were placed.
   */
  public int sinceMeasured() {
    return active.get() - covered;
  }
}
