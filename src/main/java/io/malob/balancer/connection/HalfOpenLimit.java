package io.malob.balancer.connection;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts and limits the half-open connections of each VIP: connections of which only the client's
 * first packet is known. The controller does not see later packets, because the request rule
 * forwards them; but a rule that exists for longer than its idle timeout has matched a packet. So a
 * connection counts as half open for its idle timeout, and for at most {@link #MAX_SECONDS}. It
 * stops counting earlier when its rule ends, its client ends it, or the controller receives another
 * of its packets.
 *
 * <p>At a quarter of the limit, new connections get rules with a short idle timeout ({@link
 * #BRIEF_SECONDS}). A real client that is silent for that long costs one more packet-in; the rules
 * of a spoofed client are gone in a third of the time. At the limit, new connections are dropped.
 *
 * <p>In a cluster, all known connections count against the limit, and this controller's own ones
 * against its part of the limit too. Thread-safe; takes a lock only when a second has passed.
 */
public final class HalfOpenLimit {
  /** The longest time for which a connection counts. */
  static final int MAX_SECONDS = 30;

  /**
   * The idle timeout of rules when many connections are half open: Linux retransmits a SYN-ACK
   * twice in that time.
   */
  static final int BRIEF_SECONDS = 5;

  /** Many connections are half open when there are at least the limit divided by this. */
  public static final int MANY = 4;

  private static final int VIPS = 4_096;
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final int maxPerVip;
  private final IntUnaryOperator partOf;
  private final LongSupplier nanoTime;

  /** This controller's own connections, by VIP. */
  private final AtomicReferenceArray<@Nullable Count> own = new AtomicReferenceArray<>(VIPS);

  /** Those of other controllers. */
  private final AtomicReferenceArray<@Nullable Count> ofOthers = new AtomicReferenceArray<>(VIPS);

  private final AtomicIntegerArray refused = new AtomicIntegerArray(VIPS);

  /**
   * A limit without half-open connections.
   *
   * @param maxPerVip how many connections to each VIP may be half open
   * @param partOf this controller's part of a limit
   */
  public HalfOpenLimit(int maxPerVip, IntUnaryOperator partOf, LongSupplier nanoTime) {
    this.maxPerVip = maxPerVip;
    this.partOf = partOf;
    this.nanoTime = nanoTime;
  }

  /** Whether a VIP has reached the limit, or this controller's part of it. */
  public boolean isFull(int vipNumber) {
    return reaches(1, vipNumber);
  }

  /**
   * Whether the number of half-open connections to a VIP is so high that new ones should get a
   * short timeout.
   */
  public boolean isCrowded(int vipNumber) {
    return reaches(MANY, vipNumber);
  }

  private boolean reaches(int divisor, int vipNumber) {
    return now(vipNumber) >= maxPerVip / divisor
        || now(own, vipNumber) >= partOf.applyAsInt(maxPerVip) / divisor;
  }

  /** How many connections to a VIP are half open. */
  public int now(int vipNumber) {
    return now(own, vipNumber) + now(ofOthers, vipNumber);
  }

  private int now(AtomicReferenceArray<@Nullable Count> byVip, int vipNumber) {
    @Nullable Count count = byVip.get(vipNumber);
    return count == null ? 0 : count.now(second());
  }

  /** How many connections to each VIP may be half open. */
  public int limit() {
    return maxPerVip;
  }

  /** Counts a connection that the limit has rejected. */
  public void refuse(int vipNumber) {
    refused.incrementAndGet(vipNumber);
  }

  /** How many connections to a VIP the limit has rejected. */
  public int refused(int vipNumber) {
    return refused.get(vipNumber);
  }

  /**
   * Counts a new half-open connection.
   *
   * @param idleSeconds the idle timeout of its rule
   * @return the second until which it counts, for {@link #remove}
   */
  public long add(int vipNumber, int idleSeconds) {
    return add(own, vipNumber, idleSeconds);
  }

  /** The same for a connection of another controller. */
  public long addOfOther(int vipNumber, int idleSeconds) {
    return add(ofOthers, vipNumber, idleSeconds);
  }

  private long add(AtomicReferenceArray<@Nullable Count> byVip, int vipNumber, int idleSeconds) {
    long second = second();
    long until = second + Math.min(idleSeconds, MAX_SECONDS) + 1;
    count(byVip, vipNumber).change(second, until, 1);
    return until;
  }

  /** This controller goes on with another one's connection, counted until that second. */
  public void countAsOwn(int vipNumber, long until) {
    long second = second();
    count(own, vipNumber).change(second, until, 1);
    count(ofOthers, vipNumber).change(second, until, -1);
  }

  /**
   * A connection that {@link #add} or {@link #addOfOther} has counted until that second is no
   * longer half open.
   */
  public void remove(int vipNumber, long until, boolean isOfOther) {
    count(isOfOther ? ofOthers : own, vipNumber).change(second(), until, -1);
  }

  /**
   * For how many more seconds a connection counts.
   *
   * @param until as {@link #add} says
   */
  public int secondsLeft(long until) {
    return until == Connection.NOT_HALF_OPEN
        ? 0
        : (int) Math.max(0, Math.min(MAX_SECONDS + 1, until - second()));
  }

  private long second() {
    return Math.floorDiv(nanoTime.getAsLong(), NANOS_PER_SECOND);
  }

  private Count count(AtomicReferenceArray<@Nullable Count> byVip, int vipNumber) {
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

    void change(long newSecond, long until, int by) {
      moveOn(newSecond);
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
