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

/** Applies one demand after the other to a controller that is ready, and collects the results. */
final class Experiment {
  private static final long UNKNOWN = -1;

  private final String target;
  private final Network network;
  private final long targetPid;

  /**
   * An experiment.
   *
   * @param target the name of the measured process
   * @param targetPid its process id; negative if that is not known
   */
  Experiment(String target, Network network, long targetPid) {
    this.target = target;
    this.network = network;
    this.targetPid = targetPid;
  }

  /** An experiment with a process that was not started here. */
  static Experiment withUnknownProcess(String target, Network network) {
    return new Experiment(target, network, UNKNOWN);
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
        targetPid < 0 ? OptionalDouble.empty() : ProcessStatus.residentMegabytes(targetPid));
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
      target = targetPid < 0 ? OptionalDouble.empty() : ProcessStatus.cpuSeconds(targetPid);
      generator = ProcessStatus.cpuSeconds(ProcessHandle.current().pid());
    }
  }
}
