package io.malob.bench;

import io.malob.bench.load.Demand;
import io.malob.bench.load.Extent;
import io.malob.bench.load.Measurement;
import io.malob.bench.load.Network;
import io.malob.bench.process.ProcessStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/** Applies one demand after the other to a controller that is ready, and collects the results. */
final class Experiment {
  private final String target;
  private final Network network;
  private final long[] targetPids;

  /**
   * An experiment.
   *
   * @param target the name of the measured processes
   * @param targetPids their process ids; none if they are not known
   */
  Experiment(String target, Network network, long... targetPids) {
    this.target = target;
    this.network = network;
    this.targetPids = targetPids.clone();
  }

  /** The result of one demand; times of processes include the warm-up. */
  record Outcome(
      String target,
      Measurement measurement,
      OptionalDouble targetCpuSeconds,
      OptionalDouble generatorCpuSeconds,
      double wallSeconds,
      OptionalDouble targetMegabytes) {}

  List<Outcome> run(LoadOptions options) throws IOException, InterruptedException {
    List<Outcome> outcomes = new ArrayList<>();
    for (Demand demand : options.demands()) {
      outcomes.add(run(demand, options.extent()));
    }
    return outcomes;
  }

  Outcome run(Demand demand, Extent extent) throws IOException, InterruptedException {
    Cpu start = new Cpu();
    boolean byTime = extent.connections() == Long.MAX_VALUE;
    Measurement measurement;
    try (ProgressBar bar =
        ProgressBar.of(byTime ? extent.warmupSeconds() + extent.seconds() : extent.connections())) {
      measurement =
          network.run(
              demand,
              extent,
              (second, measured, placed) -> {
                if (!measured && second == extent.warmupSeconds() - 1) {
                  start.take();
                }
                if (second == 0) {
                  bar.clear();
                  System.err.println(target + " " + demand.text() + ": " + text(extent, measured));
                }
                int passed = second + 1 + (measured ? extent.warmupSeconds() : 0);
                bar.at(byTime ? passed : placed, placed + " placed");
              });
    }
    Cpu end = new Cpu();
    end.take();
    return new Outcome(
        target,
        measurement,
        difference(end.target, start.target),
        difference(end.generator, start.generator),
        (end.nanos - start.nanos) / 1e9,
        ofTargets(ProcessStatus::residentMegabytes));
  }

  /** The sum of a figure; empty if it is not known of all measured processes. */
  private OptionalDouble ofTargets(LongFunction<OptionalDouble> figure) {
    double sum =
        LongStream.of(targetPids)
            .mapToObj(figure)
            .mapToDouble(each -> each.orElse(Double.NaN))
            .sum();
    return targetPids.length == 0 || Double.isNaN(sum)
        ? OptionalDouble.empty()
        : OptionalDouble.of(sum);
  }

  private static String text(Extent extent, boolean measured) {
    if (!measured) {
      return "warming up " + extent.warmupSeconds() + " s";
    }
    return extent.connections() == Long.MAX_VALUE
        ? "measuring " + extent.seconds() + " s"
        : "measuring until " + extent.connections() + " are placed";
  }

  private static OptionalDouble difference(OptionalDouble end, OptionalDouble start) {
    return end.isPresent() && start.isPresent()
        ? OptionalDouble.of(end.getAsDouble() - start.getAsDouble())
        : OptionalDouble.empty();
  }

  /** The processor time used until a moment; until the last {@link #take}. */
  private final class Cpu {
    private OptionalDouble target = OptionalDouble.empty();
    private OptionalDouble generator = OptionalDouble.empty();
    private long nanos = System.nanoTime();

    Cpu() {
      take();
    }

    void take() {
      nanos = System.nanoTime();
      target = ofTargets(ProcessStatus::cpuSeconds);
      generator = ProcessStatus.cpuSeconds(ProcessHandle.current().pid());
    }
  }
}
