package io.malob.state.report;

import com.google.common.collect.ImmutableMap;
import java.util.concurrent.atomic.LongAdder;

/** How many reports were accepted, and how many dropped, by reason. Thread-safe. */
public final class ReportCounts {
  private final LongAdder accepted = new LongAdder();
  private final ImmutableMap<Rejection, LongAdder> rejected;

  /** All zero. */
  public ReportCounts() {
    ImmutableMap.Builder<Rejection, LongAdder> reasons = ImmutableMap.builder();
    for (Rejection reason : Rejection.values()) {
      reasons.put(reason, new LongAdder());
    }
    rejected = reasons.build();
  }

  void countAccepted() {
    accepted.increment();
  }

  /** Counts a dropped report. */
  public void count(Rejection reason) {
    LongAdder adder = rejected.get(reason);
    if (adder != null) {
      adder.increment();
    }
  }

  /** How many reports were accepted. */
  public long accepted() {
    return accepted.sum();
  }

  /** The number dropped for a reason. */
  public long of(Rejection reason) {
    LongAdder adder = rejected.get(reason);
    return adder == null ? 0 : adder.sum();
  }

  /**
   * The numbers of dropped reports by the reasons' labels, in their order; reasons without drops
   * are absent.
   */
  public ImmutableMap<String, Long> dropped() {
    ImmutableMap.Builder<String, Long> byReason = ImmutableMap.builder();
    rejected.forEach(
        (reason, adder) -> {
          long count = adder.sum();
          if (count > 0) {
            byReason.put(reason.label(), count);
          }
        });
    return byReason.build();
  }
}
