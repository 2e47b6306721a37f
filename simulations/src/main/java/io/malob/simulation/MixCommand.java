package io.malob.simulation;

import static io.malob.simulation.SimulationReport.number;
import static io.malob.simulation.SimulationReport.percent;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Algorithm;
import io.malob.simulation.model.LabNetwork;
import io.malob.simulation.model.Mix;
import io.malob.simulation.model.Sample;
import io.malob.simulation.model.Service;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Whether one rule can replace the thesis's table of rules by service. */
@Command(
    name = MixCommand.NAME,
    description = {
      "simulation: pages, files and computations, each kind alone and all at once,",
      "by each rule of the thesis, by PCT and by PREQUAL"
    },
    mixinStandardHelpOptions = true)
final class MixCommand implements Callable<Integer> {
  static final String NAME = "mix";

  @Mixin private SimulationOptions options = new SimulationOptions();

  @Option(
      names = "--bytes",
      paramLabel = "N",
      defaultValue = "100000000",
      description = "The size of a file (${DEFAULT-VALUE}).")
  private long bytes;

  @Option(
      names = "--cpu-seconds",
      paramLabel = "S",
      defaultValue = "30",
      description = "Processor time of a computation (${DEFAULT-VALUE}).")
  private double cpuSeconds;

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "30",
      description =
          "Measured files and computations of each client, and a twentieth of its pages, per seed"
              + " (${DEFAULT-VALUE}).")
  private int requests;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description = "Interval between measurements of links and servers (${DEFAULT-VALUE}).")
  private double interval;

  @Override
  public Integer call() throws IOException {
    LabNetwork network = options.network();
    options.require(bytes > 0, "--bytes must be positive");
    options.require(cpuSeconds > 0, "--cpu-seconds must be positive");
    options.require(requests > 0, "--requests must be positive");
    options.require(interval > 0, "--interval must be positive");
    report(run(network)).publish(options.output);
    return Main.DONE;
  }

  private Mix run(LabNetwork network) {
    ImmutableList<String> rules = rules();
    try (ProgressLine line = new ProgressLine(rules.size())) {
      return Mix.run(
          network,
          ImmutableList.of(Service.HTTP, Service.ftp((double) bytes), Service.compute(cpuSeconds)),
          requests,
          options.seeds,
          rules,
          rule -> {
            line.at(rules.indexOf(rule), rule);
            return options.setting(network, Algorithm.named(rule).orElseThrow(), interval);
          });
    }
  }

  private static ImmutableList<String> rules() {
    return ImmutableList.<String>builder()
        .addAll(FluidCommand.COMBINATIONS)
        .addAll(Mix.PREDICTIONS)
        .build();
  }

  private SimulationReport report(Mix mix) {
    List<String> header = new ArrayList<>(List.of("mean time, s"));
    mix.services().forEach(service -> header.add(service.name()));
    mix.services().forEach(service -> header.add(service.name() + " in mix"));
    header.addAll(List.of("score", "min..max"));
    SimulationReport report =
        new SimulationReport(
            NAME,
            ImmutableMap.of(
                "topology", options.topology,
                "scale", options.scale,
                "bytes", bytes,
                "cpu_s", cpuSeconds,
                "requests", requests,
                "interval_s", interval,
                "seeds", options.seeds),
            header);
    rules().forEach(rule -> add(report, mix, rule));
    for (String prediction : Mix.PREDICTIONS) {
      mix.services().forEach(service -> compareAlone(report, mix, prediction, service));
      compareMixed(report, mix, prediction);
    }
    return report;
  }

  private static void add(SimulationReport report, Mix mix, String rule) {
    List<String> cells = new ArrayList<>(List.of(rule));
    for (Service service : mix.services()) {
      double mean = mix.alone(service, rule).mean();
      report.metric("mean_s.alone." + service.name() + "." + rule, mean, "s");
      cells.add(number(mean));
    }
    for (Service service : mix.services()) {
      double mean = mix.mixed(service, rule).mean();
      report.metric("mean_s.mixed." + service.name() + "." + rule, mean, "s");
      cells.add(number(mean));
    }
    Sample scores = mix.scores(rule);
    report.metric("score." + rule, scores.mean(), "");
    cells.add(number(scores.mean()));
    cells.add(range(scores));
    report.line(cells);
  }

  private static void compareAlone(
      SimulationReport report, Mix mix, String prediction, Service service) {
    String best = mix.best(rule -> mix.alone(service, rule));
    Sample ofBest = Mix.ofBest(prediction, rule -> mix.alone(service, rule), best);
    report.metric(key(prediction) + ".alone." + service.name(), ofBest.mean(), "");
    report.remark(
        String.format(
            "%s alone: %s takes %s of the best fixed rule's time (%s; by seed %s..%s)",
            service.name(),
            prediction,
            percent(ofBest.mean()),
            best,
            percent(ofBest.min()),
            percent(ofBest.max())));
  }

  private static void compareMixed(SimulationReport report, Mix mix, String prediction) {
    String best = mix.best(mix::scores);
    Sample ofBest = Mix.ofBest(prediction, mix::scores, best);
    report.metric(key(prediction) + ".mixed", ofBest.mean(), "");
    report.remark(
        String.format(
            "in the mix: %s has %s of the best fixed rule's score (%s; by seed %s..%s)",
            prediction,
            percent(ofBest.mean()),
            best,
            percent(ofBest.min()),
            percent(ofBest.max())));
  }

  private static String key(String prediction) {
    return prediction.toLowerCase(Locale.ROOT) + "_of_best";
  }

  private static String range(Sample sample) {
    return number(sample.min()) + ".." + number(sample.max());
  }
}
