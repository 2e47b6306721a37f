package io.malob.state.report;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lets so many through per second, evenly or in bursts of at most as many. Thread-safe; never
 * waits. (The generic cell rate algorithm: one number says when the next would come if they came
 * evenly, and it may be ahead of now by a second.)
 */
public final class RateLimit {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final long intervalNanos;
  private final AtomicLong nextNanos;

  /** A limit that nothing has come to yet. */
  public RateLimit(int perSecond, long nowNanos) {
    this.intervalNanos = SECOND / perSecond;
    this.nextNanos = new AtomicLong(nowNanos);
  }

  /** Whether one more may pass now, on the controller's steady clock. */
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
