package io.malob.endhost;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A limited number of actions per second. Safe for use by several threads. */
final class Allowance {
  private final int perSecond;
  private final AtomicLong second = new AtomicLong(Long.MIN_VALUE);
  private final AtomicInteger done = new AtomicInteger();

  Allowance(int perSecond) {
    this.perSecond = perSecond;
  }

  /** Whether another action is allowed now. */
  boolean take(long nowNanos) {
    long now = Math.floorDiv(nowNanos, TimeUnit.SECONDS.toNanos(1));
    if (second.getAndSet(now) != now) {
      done.set(0);
    }
    return done.get() < perSecond && done.getAndIncrement() < perSecond;
  }
}
