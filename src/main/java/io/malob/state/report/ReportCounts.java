package io.malob.state.report;

import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.AtomicLongMap;
import java.util.concurrent.atomic.LongAdder;

/** How many reports were accepted, and how many dropped, by reason. Thread-safe. */
public final class ReportCounts {
  private final LongAdder accepted = new LongAdder();
  private final AtomicLongMap<Rejection> rejected = AtomicLongMap.create();

  void countAccepted() {
    accepted.increment();
  }

  /** Counts a dropped report. */
  public void count(Rejection reason) {
    rejected.incrementAndGet(reason);
  }

  /** How many reports were accepted. */
  public long accepted() {
    return accepted.sum();
  }

  /** The number dropped for a reason. */
  public long of(Rejection reason) {
    return rejected.get(reason);
  }

  /**
   * The numbers of dropped reports by the reasons' labels, in their order; reasons without drops
   * are absent.
   */
  public ImmutableMap<String, Long> dropped() {
    return rejected.asMap().keySet().stream()
        .sorted()
        .collect(ImmutableMap.toImmutableMap(Rejection::label, rejected::get));
  }
}
