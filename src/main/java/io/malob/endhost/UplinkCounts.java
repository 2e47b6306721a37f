package io.malob.endhost;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The counts of one uplink since the start. Safe for use by several threads. */
final class UplinkCounts {
  final AtomicInteger open = new AtomicInteger();
  final LongAdder total = new LongAdder();
  final LongAdder reset = new LongAdder();

  /** Flows that have left it for another uplink. */
  final LongAdder moved = new LongAdder();

  /** Of flows whose rules were removed. */
  final LongAdder received = new LongAdder();

  final LongAdder sent = new LongAdder();
}
