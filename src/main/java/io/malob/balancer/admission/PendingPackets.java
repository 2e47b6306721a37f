package io.malob.balancer.admission;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * First packets of connections that are pending until a host is located or a switch's rules are
 * read. Bounded in number and time. Thread-safe.
 *
 * <p>All are retried whenever the view changes; they are few enough for that.
 */
public final class PendingPackets {
  private static final int CAPACITY = 1_024;

  /** The bound for one VIP, approximately, so that a flood to one VIP leaves room for others. */
  static final int MAX_PER_VIP = CAPACITY / 4;

  /**
   * VIP addresses with the same hash share a count and its bound. With this number of counts, that
   * is rare.
   */
  private static final int COUNTS = 1_024;

  /**
   * Long enough for a network that has just started: links are discovered first, then host ports,
   * then hosts.
   */
  private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final LongSupplier nanoTime;
  private final Consumer<Arrival> added;
  private final ConcurrentLinkedQueue<Arrival> pending = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicIntegerArray byAddress = new AtomicIntegerArray(COUNTS);

  /** The result of {@link #enter}. */
  enum Entry {
    WAITS,
    WAITED_LONG_ENOUGH,
    FULL
  }

  /**
   * No packets.
   *
   * @param added called with each packet that becomes pending, to locate its hosts
   */
  public PendingPackets(LongSupplier nanoTime, Consumer<Arrival> added) {
    this.nanoTime = nanoTime;
    this.added = added;
  }

  /** Makes a packet pending, unless it has waited long enough or there is no room. */
  Entry enter(Arrival arrival) {
    if (nanoTime.getAsLong() - arrival.nanos() >= MAX_WAIT_NANOS) {
      return Entry.WAITED_LONG_ENOUGH;
    }
    int sameAddress = byAddress.incrementAndGet(countOf(arrival));
    if (size.incrementAndGet() > CAPACITY || sameAddress > MAX_PER_VIP) {
      remove(arrival);
      return Entry.FULL;
    }
    pending.add(arrival);
    added.accept(arrival);
    return Entry.WAITS;
  }

  /** How many packets are pending. */
  public int size() {
    return Math.min(size.get(), CAPACITY);
  }

  /** Removes and returns all packets, for a retry. */
  List<Arrival> leave() {
    List<Arrival> all = new ArrayList<>();
    for (Arrival arrival = pending.poll(); arrival != null; arrival = pending.poll()) {
      remove(arrival);
      all.add(arrival);
    }
    return all;
  }

  private void remove(Arrival arrival) {
    byAddress.decrementAndGet(countOf(arrival));
    size.decrementAndGet();
  }

  private static int countOf(Arrival arrival) {
    int address = arrival.packet().dstAddress();
    return (address ^ address >>> 10) & (COUNTS - 1);
  }
}
