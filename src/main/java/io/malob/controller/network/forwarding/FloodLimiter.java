package io.malob.controller.network.forwarding;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.types.NodePortTuple;

/**
 * Bounds how often the packets of one port are sent to all hosts, so that one host's storm does not
 * become everybody's: so many per second, and twice as many at once. Safe for use by several
 * threads, without locks.
 */
final class FloodLimiter {
  private final long nanosPerFlood;
  private final long mostAhead;
  private final LongSupplier nanos;
  private final ConcurrentHashMap<NodePortTuple, AtomicLong> paidUntil = new ConcurrentHashMap<>();
  private final LongAdder refused = new LongAdder();

  /** The clock counts nanoseconds from anywhere. */
  FloodLimiter(int floodsPerSecond, LongSupplier nanos) {
    nanosPerFlood = TimeUnit.SECONDS.toNanos(1) / floodsPerSecond;
    mostAhead = nanosPerFlood * 2 * floodsPerSecond;
    this.nanos = nanos;
  }

  /** Whether a packet of that port may be flooded now; counts it if so. */
  boolean allows(NodePortTuple port) {
    long now = nanos.getAsLong();
    AtomicLong paid = paidUntil.computeIfAbsent(port, any -> new AtomicLong(now));
    while (true) {
      long before = paid.get();
      // a clock of nanoseconds may wrap: only differences mean something
      long after = (before - now > 0 ? before : now) + nanosPerFlood;
      if (after - now > mostAhead) {
        refused.increment();
        return false;
      }
      if (paid.compareAndSet(before, after)) {
        return true;
      }
    }
  }

  /** How many packets were not flooded. */
  long refused() {
    return refused.sum();
  }
}
