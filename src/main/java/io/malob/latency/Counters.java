package io.malob.latency;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.latency.LatencyCounters.ProbeCount;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of probes. Safe for use by several threads; takes no lock. */
final class Counters {
  final Kind links = new Kind();
  final Kind control = new Kind();
  final LongAdder clamped = new LongAdder();

  private final ImmutableMap<Discard, LongAdder> discarded =
      Maps.toMap(EnumSet.allOf(Discard.class), any -> new LongAdder());

  /** Of one kind of probes. */
  static final class Kind {
    final LongAdder sent = new LongAdder();
    final LongAdder answered = new LongAdder();
    final LongAdder lost = new LongAdder();
    final LongAdder unsent = new LongAdder();

    ProbeCount now() {
      return new ProbeCount(sent.sum(), answered.sum(), lost.sum(), unsent.sum());
    }
  }

  void discard(Discard reason) {
    Objects.requireNonNull(discarded.get(reason)).increment();
  }

  LatencyCounters now() {
    ImmutableMap.Builder<String, Long> reasons = ImmutableMap.builder();
    discarded.forEach(
        (reason, count) -> reasons.put(reason.name().toLowerCase(Locale.ROOT), count.sum()));
    return new LatencyCounters(links.now(), control.now(), clamped.sum(), reasons.build());
  }
}
