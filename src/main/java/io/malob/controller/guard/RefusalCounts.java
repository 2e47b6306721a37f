package io.malob.controller.guard;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.module.INetworkRefusalService;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** The number of rejections by kind since the controller's start. Any thread, no lock. */
public final class RefusalCounts implements INetworkRefusalService {
  private final ImmutableMap<Refusal, LongAdder> counts =
      Maps.toMap(EnumSet.allOf(Refusal.class), any -> new LongAdder());

  /** One more. */
  public void count(Refusal refusal) {
    Objects.requireNonNull(counts.get(refusal)).increment();
  }

  /** The number of one kind. */
  public long of(Refusal refusal) {
    return Objects.requireNonNull(counts.get(refusal)).sum();
  }

  @Override
  public Map<String, Long> byLabel() {
    ImmutableMap.Builder<String, Long> shown = ImmutableMap.builder();
    counts.forEach((refusal, count) -> shown.put(refusal.label(), count.sum()));
    return shown.buildOrThrow();
  }
}
