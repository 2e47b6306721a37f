package io.malob.balancer.connection;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How many connections to each VIP are half open: placed, but nothing but their first packet has
 * been heard of their clients. What a client sends is counted by its rule and not seen here; but a
 * rule that has outlived its idle time-out has counted something. So a connection is half open
 * until then, {@link #MAX_SECONDS} at most, unless its rule has ended, its client has, or another
 * packet of its came to the controller.
 *
 * <p>When there are many, new ones get rules that end soon ({@link #BRIEF_SECONDS}): clients that
 * are there cost one more packet-in if they are silent for so long, those that are not cost their
 * rules for a third of the time. When there are too many, there are no new ones. Thread-safe; takes
 * a lock when a second has passed, and else none.
 */
public final class HalfOpenLimit {
  /** How long a connection counts at most. */
  static final int MAX_SECONDS = 30;

  /** The idle time-out of rules when many are half open: two retransmitted SYN-ACKs of Linux. */
  static final int BRIEF_SECONDS = 5;

  /** When there are the limit's part of that, there are many. */
  public static final int MANY = 4;

  private static final int VIPS = 4_096;
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final int most;
  private final LongSupplier nanoTime;
  private final AtomicReferenceArray<@Nullable Count> byVip = new AtomicReferenceArray<>(VIPS);
  private final AtomicIntegerArray refused = new AtomicIntegerArray(VIPS);

  /**
   * None yet.
   *
   * @param most how many may be half open for each VIP
   */
  public HalfOpenLimit(int most, LongSupplier nanoTime) {
    this.most = most;
    this.nanoTime = nanoTime;
  }

  /** Whether there are too many for a new one. */
  public boolean isFull(int vipNumber) {
    return now(vipNumber) >= most;
  }

  /** Whether there are so many that rules of new ones should end soon. */
  public boolean isCrowded(int vipNumber) {
    return now(vipNumber) >= most / MANY;
  }

  /** How many there are. */
  public int now(int vipNumber) {
    @Nullable Count count = byVip.get(vipNumber);
    return count == null ? 0 : count.now(second());
  }

  /** How many there may be of each VIP. */
  public int limit() {
    return most;
  }

  /** Counts a connection that found no room. */
  public void refuse(int vipNumber) {
    refused.incrementAndGet(vipNumber);
  }

  /** How many connections to a VIP found no room. */
  public int refused(int vipNumber) {
    return refused.get(vipNumber);
  }

  /**
   * Counts a new one.
   *
   * @param idleSeconds the idle time-out of its rule
   * @return until when it counts, to be told to {@link #remove}
   */
  public long add(int vipNumber, int idleSeconds) {
    long second = second();
    long until = second + Math.min(idleSeconds, MAX_SECONDS) + 1;
    count(vipNumber).add(second, until);
    return until;
  }

  /** One that counts until then is half open no more. */
  public void remove(int vipNumber, long until) {
    count(vipNumber).remove(second(), until);
  }

  private long second() {
    return Math.floorDiv(nanoTime.getAsLong(), NANOS_PER_SECOND);
  }

  private Count count(int vipNumber) {
    @Nullable Count count = byVip.get(vipNumber);
    if (count != null) {
      return count;
    }
    Count fresh = new Count(second());
    @Nullable Count other = byVip.compareAndExchange(vipNumber, null, fresh);
    return other == null ? fresh : other;
  }

  /**
   * Those of one VIP, by the second in which they stop to count. A slot is for one second at a
   * time, which it names, so that what comes too late for it changes nothing.
   */
  private static final class Count {
    private static final int SLOTS = MAX_SECONDS + 2;

    /** The second in the upper half, how many stop to count then in the lower half. */
    private final AtomicLongArray ending = new AtomicLongArray(SLOTS);

    private final AtomicInteger total = new AtomicInteger();
    private volatile long second;

    Count(long second) {
      this.second = second;
      for (long each = second + 1; each <= second + SLOTS; each++) {
        ending.set(slot(each), emptyFor(each));
      }
    }

    int now(long newSecond) {
      moveOn(newSecond);
      return Math.max(0, total.get());
    }

    void add(long newSecond, long until) {
      moveOn(newSecond);
      change(until, 1);
    }

    void remove(long newSecond, long until) {
      moveOn(newSecond);
      change(until, -1);
    }

    private void change(long until, int by) {
      int slot = slot(until);
      long before = ending.get(slot);
      while (isFor(before, until)) {
        if (ending.compareAndSet(slot, before, before + by)) {
          total.addAndGet(by);
          return;
        }
        before = ending.get(slot);
      }
    }

    /** Threads read the clock before they come here, and may come in another order. */
    private void moveOn(long newSecond) {
      if (newSecond > second) {
        empty(newSecond);
      }
    }

    /** Once a second: what stops to count by then. */
    private synchronized void empty(long newSecond) {
      long first = Math.max(second + 1, newSecond - SLOTS + 1);
      for (long each = first; each <= newSecond; each++) {
        long before = ending.getAndSet(slot(each), emptyFor(each + SLOTS));
        total.addAndGet(-(int) before);
      }
      second = Math.max(second, newSecond);
    }

    private static long emptyFor(long atSecond) {
      return atSecond << Integer.SIZE;
    }

    private static boolean isFor(long entry, long atSecond) {
      return (int) (entry >> Integer.SIZE) == (int) atSecond;
    }

    private static int slot(long atSecond) {
      return Math.floorMod(atSecond, SLOTS);
    }
  }
}
