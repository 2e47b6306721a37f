package io.malob.bench;

import io.malob.bench.Experiment.Outcome;
import io.malob.bench.load.Measurement;
import java.util.List;
import java.util.stream.Stream;

/**
 * The targets of a soak: as fast at the end as at the beginning, with no more memory than halfway.
 */
final class HeapFigures {
  private static final double MIN_OF_FIRST_TENTH = 0.7;
  private static final double GROWTH = 1.2;
  private static final double GROWTH_MEGABYTES = 20;

  private HeapFigures() {}

  /** The load and its result, of both halves together. */
  static void addLoad(Figures figures, Measurement first, Measurement second) {
    List<Double> perSecond =
        Stream.of(first, second).flatMap(half -> half.perSecond().stream()).toList();
    int tenth = Math.max(1, perSecond.size() / 10);
    double atFirst = mean(perSecond.stream().limit(tenth));
    double atLast = mean(perSecond.stream().skip(Math.max(0, perSecond.size() - tenth)));
    figures.addCount("placed", "connections placed", first.placedInAll() + second.placedInAll());
    figures.addExactly("failed", "failed", first.failed() + second.failed(), 0);
    figures.addExactly("faults", "faults", faults(first) + faults(second), 0);
    figures.addCount("seconds", "seconds measured", perSecond.size());
    figures.add("mean_rate", "placements/s, mean", mean(perSecond.stream()), "/s");
    figures.add("first_rate", "placements/s, first tenth", atFirst, "/s");
    figures.add(
        "last_rate",
        "placements/s, last tenth",
        atLast,
        "/s",
        ">= 70 % of the first",
        perSecond.size() > 1 && atLast >= MIN_OF_FIRST_TENTH * atFirst);
    figures.add("p99_first", "p99 latency, first half", first.latencyMillis(99), "ms");
    figures.add("p99_second", "p99 latency, second half", second.latencyMillis(99), "ms");
    figures.add("max_latency", "longest placement", longest(first, second), "ms");
  }

  /** The controller's work for a placement, which other work of the machine changes little. */
  static void addCpu(Figures figures, Outcome first, Outcome second) {
    figures.add("cpu_first", "CPU per placement, first half", cpuMicros(first), "us");
    figures.add("cpu_second", "CPU per placement, second half", cpuMicros(second), "us");
  }

  private static double cpuMicros(Outcome outcome) {
    return outcome.targetCpuSeconds().orElse(Double.NaN) * 1e6 / outcome.measurement().placed();
  }

  private static long faults(Measurement measurement) {
    return measurement.faults().values().stream().mapToLong(Long::longValue).sum();
  }

  private static double longest(Measurement first, Measurement second) {
    return Math.max(first.latencyMillis(100), second.latencyMillis(100));
  }

  private static double mean(Stream<Double> values) {
    return values.mapToDouble(Double::doubleValue).average().orElse(0);
  }

  /** The heap, which must not be more than 20 % and 20 MB larger at the end than halfway. */
  static void addMemory(
      Figures figures, MemoryState start, MemoryState middle, MemoryState end, MemoryState after) {
    double limit =
        Math.max(GROWTH * middle.heapMegabytes(), middle.heapMegabytes() + GROWTH_MEGABYTES);
    start.addTo(figures, "start", "before the load");
    middle.addTo(figures, "middle", "halfway");
    end.addTo(figures, "end", "at the end of the load", limit);
    after.addTo(figures, "after", "when all rules have ended");
  }
}
