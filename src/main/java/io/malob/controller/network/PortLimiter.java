package io.malob.controller.network;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.types.NodePortTuple;

/**
 * Bounds how often something is done for the packets of one port, so that one host's storm does not
 * become everybody's: so many times per second, and twice as many at once. Safe for use by several
 * threads, without locks.
 */
public final class PortLimiter {
  private final long nanosPerTime;
  private final long maxAhead;
  private final LongSupplier nanos;
  private final ConcurrentHashMap<NodePortTuple, AtomicLong> paidUntil = new ConcurrentHashMap<>();
  private final LongAdder refused = new LongAdder();

  /** The clock counts nanoseconds from anywhere. */
  public PortLimiter(int timesPerSecond, LongSupplier nanos) {
    nanosPerTime = TimeUnit.SECONDS.toNanos(1) / timesPerSecond;
    maxAhead = nanosPerTime * 2 * timesPerSecond;
    this.nanos = nanos;
  }

  /** Whether it may be done for a packet of that port now; counts it if so. */
  public boolean allows(NodePortTuple port) {
    long now = nanos.getAsLong();
    AtomicLong paid = paidUntil.computeIfAbsent(port, any -> new AtomicLong(now));
    while (true) {
      long before = paid.get();
      // a clock of nanoseconds may wrap: only differences mean something
      long after = (before - now > 0 ? before : now) + nanosPerTime;
      if (after - now > maxAhead) {
        refused.increment();
        return false;
      }
      if (paid.compareAndSet(before, after)) {
        return true;
      }
    }
  }

  /** For how many packets it was not done. */
  public long refused() {
    return refused.sum();
  }
}
