package io.malob.balancer;

import java.util.concurrent.atomic.LongAdder;

/** Counts what audits find, see {@link AuditStats}. Thread-safe. */
final class AuditCounts {
  final LongAdder tablesRead = new LongAdder();
  final LongAdder tablesReset = new LongAdder();
  final LongAdder adopted = new LongAdder();
  final LongAdder slept = new LongAdder();
  final LongAdder restored = new LongAdder();
  final LongAdder removed = new LongAdder();

  AuditStats with(int pending) {
    return new AuditStats(
        tablesRead.sum(),
        tablesReset.sum(),
        adopted.sum(),
        pending,
        slept.sum(),
        restored.sum(),
        removed.sum());
  }
}
