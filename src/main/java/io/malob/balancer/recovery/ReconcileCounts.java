package io.malob.balancer.recovery;

import io.malob.balancer.api.ReconcileStats;
import java.util.concurrent.atomic.LongAdder;

/** Counts the results of reconciliation, see {@link ReconcileStats}. Thread-safe. */
final class ReconcileCounts {
  final LongAdder tablesRead = new LongAdder();
  final LongAdder tablesReset = new LongAdder();
  final LongAdder recovered = new LongAdder();
  final LongAdder slept = new LongAdder();
  final LongAdder restored = new LongAdder();
  final LongAdder removed = new LongAdder();

  ReconcileStats with(int pending) {
    return new ReconcileStats(
        tablesRead.sum(),
        tablesReset.sum(),
        recovered.sum(),
        pending,
        slept.sum(),
        restored.sum(),
        removed.sum());
  }
}
