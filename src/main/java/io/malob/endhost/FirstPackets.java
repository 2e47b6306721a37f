package io.malob.endhost;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The latency of the latest first packets of flows, from reading them to queueing their rules for
 * sending. Safe for use by several threads.
 */
final class FirstPackets {
  private static final int KEPT = 1_024;

  private final AtomicLongArray nanos = new AtomicLongArray(KEPT);
  private final AtomicInteger count = new AtomicInteger();

  void add(long tookNanos) {
    int at = count.getAndUpdate(n -> n + 1 < 2 * KEPT ? n + 1 : KEPT);
    nanos.set(at % KEPT, tookNanos);
  }

  /** The latest values, in ascending order. */
  long[] sorted() {
    int kept = Math.min(count.get(), KEPT);
    long[] all = new long[kept];
    for (int i = 0; i < kept; i++) {
      all[i] = nanos.get(i);
    }
    Arrays.sort(all);
    return all;
  }
}
