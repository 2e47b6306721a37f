package io.malob.endhost;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts dropped packets by reason. Safe for use by several threads. */
final class Refusals {
  private final Map<Refusal, LongAdder> counts = new EnumMap<>(Refusal.class);

  Refusals() {
    for (Refusal reason : Refusal.values()) {
      counts.put(reason, new LongAdder());
    }
  }

  void count(Refusal reason) {
    of(reason).increment();
  }

  private LongAdder of(Refusal reason) {
    return Objects.requireNonNull(counts.get(reason));
  }

  /** All reasons that occurred. */
  Map<String, Long> counts() {
    Map<String, Long> all = new LinkedHashMap<>();
    for (Refusal reason : Refusal.values()) {
      long count = of(reason).sum();
      if (count > 0) {
        all.put(reason.label(), count);
      }
    }
    return all;
  }
}
