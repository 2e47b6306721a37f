package io.malob.latency;

import io.malob.latency.LatencyCounters.ProbeCount;
import io.malob.module.EnumCounts;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of probes. Safe for use by several threads; takes no lock. */
final class Counters {
  final Kind links = new Kind();
  final Kind control = new Kind();
  final LongAdder clamped = new LongAdder();

  final EnumCounts<Discard> discarded = new EnumCounts<>(Discard.class);

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

  LatencyCounters now() {
    return new LatencyCounters(
        links.now(),
        control.now(),
        clamped.sum(),
        discarded.by(reason -> reason.name().toLowerCase(Locale.ROOT)));
  }
}
