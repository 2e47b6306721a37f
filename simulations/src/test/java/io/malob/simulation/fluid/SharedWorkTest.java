package io.malob.simulation.fluid;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Jobs on two processors: one alone gets one processor, more than two share. */
class SharedWorkTest {
  private final EventQueue events = new EventQueue();
  private final Map<String, Long> endMillis = new LinkedHashMap<>();
  private final Map<String, Double> worked = new HashMap<>();
  private final SharedWork<String> work =
      new SharedWork<>(
          events,
          jobs -> jobs.stream().mapToDouble(job -> Math.min(1, 2.0 / jobs.size())).toArray(),
          (job, done) -> worked.merge(job, done, Double::sum));

  private void start(double atSeconds, String job, double seconds) {
    events.after(
        atSeconds,
        () ->
            work.start(
                job, seconds, () -> endMillis.put(job, Math.round(events.nowNanos() / 1e6))));
  }

  @Test
  void aloneJob_takesItsOwnTime() {
    start(1, "a", 3);
    events.runUntil(() -> false);
    assertEquals(Map.of("a", 4_000L), endMillis);
  }

  /** a, b and c at 2/3 each until b ends at 1.5; then a and c at 1. */
  @Test
  void jobs_goFasterWhenAnotherEnds() {
    start(0, "a", 3);
    start(0, "b", 1);
    start(0, "c", 2);
    events.runUntil(() -> false);
    assertEquals(Map.of("b", 1_500L, "c", 2_500L, "a", 3_500L), endMillis);
  }

  /** a alone until 1, then a, b and c at 2/3 each: a has 2 left, which takes 3. */
  @Test
  void jobs_goSlowerWhenOthersStart() {
    start(0, "a", 3);
    start(1, "b", 9);
    start(1, "c", 9);
    events.runUntil(() -> endMillis.size() == 1);
    assertEquals(Map.of("a", 4_000L), endMillis);
    assertEquals(2, work.size());
  }

  @Test
  void account_hasAllWorkThatWasDone() {
    start(0, "a", 3);
    start(0.7, "b", 1.1);
    start(1.3, "c", 0.9);
    events.runUntil(() -> false);
    assertEquals(3, worked.getOrDefault("a", 0.0), 1e-9);
    assertEquals(1.1, worked.getOrDefault("b", 0.0), 1e-9);
    assertEquals(0.9, worked.getOrDefault("c", 0.0), 1e-9);
  }

  @Test
  void account_isUpToDateAfterSettling() {
    start(0, "a", 3);
    events.after(1, work::settle);
    events.runUntil(() -> events.nowNanos() == 1_000_000_000L);
    assertEquals(1, worked.getOrDefault("a", 0.0), 1e-9);
  }

  @Test
  void jobsThatEndTogether_endInTheOrderTheyStarted() {
    start(0, "a", 1);
    start(0, "b", 1);
    start(0, "c", 1);
    events.runUntil(() -> false);
    assertEquals(List.of("a", "b", "c"), List.copyOf(endMillis.keySet()));
    assertEquals(List.of(1_500L, 1_500L, 1_500L), List.copyOf(endMillis.values()));
  }

  @Test
  void jobWithoutWork_endsAtOnce() {
    start(1, "a", 0);
    events.runUntil(() -> false);
    assertEquals(Map.of("a", 1_000L), endMillis);
  }
}
