package io.malob.state.report;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A limit per second, evenly or in bursts of max the same number. Thread-safe; never waits. (The
 * generic cell rate algorithm: one number is the time of the next event at an even rate, and it may
 * be ahead of the present by a second.)
 */
public final class RateLimit {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final long intervalNanos;
  private final AtomicLong nextNanos;

  /** A limit without events. */
  public RateLimit(int perSecond, long nowNanos) {
    this.intervalNanos = SECOND / perSecond;
    this.nextNanos = new AtomicLong(nowNanos);
  }

  /** Whether another event is allowed now, on the controller's steady clock. */
  public boolean allows(long nowNanos) {
    while (true) {
      long next = nextNanos.get();
      long from = next - nowNanos < 0 ? nowNanos : next;
      if (from - nowNanos > SECOND - intervalNanos) {
        return false;
      }
      if (nextNanos.compareAndSet(next, from + intervalNanos)) {
        return true;
      }
    }
  }
}
