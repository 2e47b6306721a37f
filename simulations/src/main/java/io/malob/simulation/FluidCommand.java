package io.malob.simulation;

import static io.malob.simulation.SimulationReport.number;
import static io.malob.simulation.SimulationReport.percent;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Algorithm;
import io.malob.simulation.model.Detours;
import io.malob.simulation.model.LabNetwork;
import io.malob.simulation.model.Mix;
import io.malob.simulation.model.Outcome;
import io.malob.simulation.model.Runs;
import io.malob.simulation.model.Sample;
import io.malob.simulation.model.Service;
import io.malob.simulation.model.Setting;
import io.malob.simulation.model.Workload;
import io.malob.simulation.model.Workload.Source;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The duration of file transfers in the fluid model, for each combination of the thesis. */
@Command(
    name = FluidCommand.NAME,
    description = {
      "simulation: how long transfers take if links are shared max-min fairly,",
      "for the thesis's combinations of rules"
    },
    mixinStandardHelpOptions = true)
final class FluidCommand implements Callable<Integer> {
  static final String NAME = "fluid";

  /** Table 4.1 of the thesis. */
  static final ImmutableList<String> COMBINATIONS =
      ImmutableList.of(
          "RR+SPH", "RR+SPL", "RR+HTP", "LC+SPH", "LC+SPL", "LC+HTP", "CPU+SPH", "CPU+SPL",
          "CPU+HTP", "SL-PS", "HT-PS");

  /** Instead of a combination: a balancer that knows the network at every moment. */
  static final String OMNISCIENT = "omniscient";

  private static final String BASE = "RR+SPH";

  @Mixin private SimulationOptions options = new SimulationOptions();

  @Option(
      names = "--bytes",
      paramLabel = "N",
      defaultValue = "100000000",
      description = "The size of a file (${DEFAULT-VALUE}).")
  private long bytes;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "4",
      description =
          "Clients with one transfer at a time each, placed at the network's clients in turn"
              + " (${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "100",
      description = "Measured transfers of each client, per seed (${DEFAULT-VALUE}).")
  private int requests;

  @Option(
      names = "--pause",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description = "Mean time between two transfers of a client (${DEFAULT-VALUE}).")
  private double pause;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description =
          "Interval between measurements of links and servers; 0: no measurements, the rules know"
              + " the capacities of links (${DEFAULT-VALUE}).")
  private double interval;

  @Override
  public Integer call() throws IOException {
    LabNetwork network = options.network();
    options.require(bytes > 0, "--bytes must be positive");
    options.require(clients > 0, "--clients must be positive");
    options.require(requests > 0, "--requests must be positive");
    options.require(pause >= 0, "--pause must not be negative");
    options.require(interval >= 0, "--interval must not be negative");
    report(network).publish(options.output);
    return Main.DONE;
  }

  private SimulationReport report(LabNetwork network) {
    SimulationReport report =
        new SimulationReport(
            NAME,
            ImmutableMap.of(
                "topology", options.topology,
                "scale", options.scale,
                "bytes", bytes,
                "clients", clients,
                "requests", requests,
                "pause_s", pause,
                "interval_s", interval,
                "seeds", options.seeds),
            List.of(
                "combination",
                "median s",
                "min..max",
                "p10 s",
                "p90 s",
                "of " + BASE,
                "alone s",
                "of " + BASE,
                "mean s",
                "of " + OMNISCIENT));
    double base = together(network, BASE).all().median();
    double baseAlone = alone(network, BASE).median();
    double knowing = together(network, OMNISCIENT).all().mean();
    ImmutableList<String> names =
        ImmutableList.<String>builder()
            .addAll(COMBINATIONS)
            .addAll(Mix.PREDICTIONS)
            .add(OMNISCIENT)
            .build();
    try (ProgressLine line = new ProgressLine(names.size())) {
      int done = 0;
      for (String name : names) {
        line.at(done++, name);
        Runs runs = together(network, name);
        Sample all = runs.all();
        Sample medians = runs.each(run -> run.all().median());
        double alone = alone(network, name).median();
        report.metric("median_s." + name, all.median(), "s");
        report.metric("mean_s." + name, all.mean(), "s");
        report.metric("p10_s." + name, all.percentile(10), "s");
        report.metric("p90_s." + name, all.percentile(90), "s");
        report.metric("median_min_s." + name, medians.min(), "s");
        report.metric("median_max_s." + name, medians.max(), "s");
        report.metric("median_of_" + BASE + "." + name, all.median() / base, "");
        report.metric("mean_of_" + OMNISCIENT + "." + name, all.mean() / knowing, "");
        report.metric("alone_median_s." + name, alone, "s");
        report.line(
            List.of(
                name,
                number(all.median()),
                number(medians.min()) + ".." + number(medians.max()),
                number(all.percentile(10)),
                number(all.percentile(90)),
                percent(all.median() / base),
                number(alone),
                percent(alone / baseAlone),
                number(all.mean()),
                percent(all.mean() / knowing)));
      }
    }
    remarkDetours(report, Detours.of(network));
    remarkBound(report, alone(network, OMNISCIENT).median(), base);
    return report;
  }

  private static void remarkDetours(SimulationReport report, Detours detours) {
    report.metric("pairs_with_a_wider_path", detours.wider(), "");
    report.remark(
        String.format(
            "Of %d pairs of client and server, %d have a wider path than the one with the fewest"
                + " links.",
            detours.pairs(), detours.wider()));
  }

  /** No transfer is faster than alone on its best path, whatever places it. */
  private static void remarkBound(SimulationReport report, double bound, double base) {
    report.metric("min_median_s", bound, "s");
    report.remark(
        String.format(
            "No placement can have a median below %s s, %s of %s: that of transfers which are alone"
                + " in the network.",
            number(bound), percent(bound / base), BASE));
  }

  private Runs together(LabNetwork network, String name) {
    return runs(network, name, new Workload(sources(network)), options.seeds);
  }

  /** The same clients, each with the network to itself. */
  private Sample alone(LabNetwork network, String name) {
    return new Sample(
        sources(network).stream()
            .map(source -> new Workload(ImmutableList.of(source)))
            .flatMap(workload -> runs(network, name, workload, 1).outcomes().stream())
            .map(Outcome::all)
            .flatMap(times -> times.inOrder().stream())
            .toList());
  }

  private ImmutableList<Source> sources(LabNetwork network) {
    return Workload.closedLoops(network, clients, Service.ftp((double) bytes), requests, pause);
  }

  private Runs runs(LabNetwork network, String name, Workload workload, int seeds) {
    return name.equals(OMNISCIENT)
        ? Runs.omniscient(setting(network, BASE), workload, seeds)
        : Runs.of(setting(network, name), workload, seeds);
  }

  private Setting setting(LabNetwork network, String algorithm) {
    return options.setting(network, Algorithm.named(algorithm).orElseThrow(), interval);
  }
}
