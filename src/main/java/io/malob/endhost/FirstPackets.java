package io.malob.endhost;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long the latest first packets of flows took, from when they were read to when their rules
 * were handed over for sending. Safe for use by several threads.
 */
final class FirstPackets {
  private static final int KEPT = 1_024;

  private final AtomicLongArray nanos = new AtomicLongArray(KEPT);
  private final AtomicInteger count = new AtomicInteger();

  void add(long tookNanos) {
    int at = count.getAndUpdate(n -> n + 1 < 2 * KEPT ? n + 1 : KEPT);
    nanos.set(at % KEPT, tookNanos);
  }

  /** Those that are kept, in rising order. */
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
