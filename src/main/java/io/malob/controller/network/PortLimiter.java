package io.malob.controller.network;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.types.NodePortTuple;

/**
 * Limits the rate of an action for the packets of one port, so that a storm of one host does not
 * affect others: a rate per second, with bursts of twice as many. Safe for use by several threads,
 * without locks.
 */
public final class PortLimiter {
  private final long nanosPerTime;
  private final long maxAhead;
  private final LongSupplier nanos;
  private final ConcurrentHashMap<NodePortTuple, AtomicLong> paidUntil = new ConcurrentHashMap<>();
  private final LongAdder refused = new LongAdder();

  /** The clock is any monotonic clock in nanoseconds. */
  public PortLimiter(int timesPerSecond, LongSupplier nanos) {
    nanosPerTime = TimeUnit.SECONDS.toNanos(1) / timesPerSecond;
    maxAhead = nanosPerTime * 2 * timesPerSecond;
    this.nanos = nanos;
  }

  /** Whether the action is allowed for a packet of that port now; counts it if so. */
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

  /** The number of packets over the limit. */
  public long refused() {
    return refused.sum();
  }
}
