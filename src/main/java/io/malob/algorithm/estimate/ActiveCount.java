package io.malob.algorithm.estimate;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connections that are active on a link or a server, and how many of them a measurement of it has
 * seen. What was placed since the measurement began counts on top of it: without that, every
 * connection between two measurements would go to the same place (the herding of greedy rules on
 * stale data; M. Mitzenmacher, How useful is old information, 2000).
 *
 * <p>A measurement covers the time since the one before it. What was placed meanwhile is in it in
 * part only, so a connection is covered for certain when it was active at two measurements in a
 * row. Counted by any thread, measured by one at a time; no thread waits.
 */
public final class ActiveCount {
  private final AtomicInteger active = new AtomicInteger();
  private volatile int measured;
  private volatile int covered;

  /** Counts connections that have become active, or are so no more if negative. */
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

  /** How many the latest measurement is known to have seen. */
  public int covered() {
    return covered;
  }

  /**
   * How many more are active now than the latest measurement is known to have seen; negative if
   * more have ended since than were placed.
   */
  public int sinceMeasured() {
    return active.get() - covered;
  }
}
