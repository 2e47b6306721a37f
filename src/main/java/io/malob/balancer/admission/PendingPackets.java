package io.malob.balancer.admission;

import io.malob.balancer.api.RejectReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * First packets that wait until a host, or what a switch holds, is found: a few, for a short time.
 * Thread-safe.
 *
 * <p>All of them are tried again whenever the view changes; there are few enough for that.
 */
public final class PendingPackets {
  private static final int CAPACITY = 1_024;

  /** How many of one VIP, about: those of one that floods leave room for others. */
  static final int MAX_OF_ONE = CAPACITY / 4;

  /** Addresses that share a count leave less room to each other; with so many that is rare. */
  private static final int COUNTS = 1_024;

  /** Long enough for a network that has just come up: links, then ports, then hosts are found. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final LongSupplier nanoTime;
  private final Consumer<Arrival> wanted;
  private final ConcurrentLinkedQueue<Arrival> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicIntegerArray byAddress = new AtomicIntegerArray(COUNTS);

  /** What became of a packet at the door. */
  enum Entry {
    WAITS,
    WAITED_LONG_ENOUGH,
    FULL
  }

  /**
   * An empty room.
   *
   * @param wanted called when a packet starts to wait: somebody should look for the hosts now
   */
  public PendingPackets(LongSupplier nanoTime, Consumer<Arrival> wanted) {
    this.nanoTime = nanoTime;
    this.wanted = wanted;
  }

  /** Lets a packet wait, if it is still early enough and there is room. */
  Entry enter(Arrival arrival) {
    if (nanoTime.getAsLong() - arrival.nanos() >= PATIENCE_NANOS) {
      return Entry.WAITED_LONG_ENOUGH;
    }
    int sameAddress = byAddress.incrementAndGet(countOf(arrival));
    if (size.incrementAndGet() > CAPACITY || sameAddress > MAX_OF_ONE) {
      left(arrival);
      return Entry.FULL;
    }
    waiting.add(arrival);
    wanted.accept(arrival);
    return Entry.WAITS;
  }

  /** Lets a packet wait, or else has it rejected for that reason, or for the lack of room. */
  void enterOr(Arrival arrival, RejectReason reason, BiConsumer<Arrival, RejectReason> rejection) {
    switch (enter(arrival)) {
      case WAITS -> {}
      case WAITED_LONG_ENOUGH -> rejection.accept(arrival, reason);
      case FULL -> rejection.accept(arrival, RejectReason.QUEUE_FULL);
    }
  }

  /** How many packets wait. */
  public int size() {
    return Math.min(size.get(), CAPACITY);
  }

  /** Takes all packets out, to be tried again. */
  List<Arrival> leave() {
    List<Arrival> all = new ArrayList<>();
    for (Arrival arrival = waiting.poll(); arrival != null; arrival = waiting.poll()) {
      left(arrival);
      all.add(arrival);
    }
    return all;
  }

  private void left(Arrival arrival) {
    byAddress.decrementAndGet(countOf(arrival));
    size.decrementAndGet();
  }

  private static int countOf(Arrival arrival) {
    int address = arrival.packet().dstAddress();
    return (address ^ address >>> 10) & (COUNTS - 1);
  }
}
