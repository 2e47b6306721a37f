package io.malob.simulation;

import static io.malob.simulation.SimulationReport.number;
import static io.malob.simulation.SimulationReport.percent;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Counting;
import io.malob.simulation.model.LabNetwork;
import io.malob.simulation.model.Outcome;
import io.malob.simulation.model.Runs;
import io.malob.simulation.model.Sample;
import io.malob.simulation.model.Service;
import io.malob.simulation.model.Setting;
import io.malob.simulation.model.Workload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The behaviour of greedy rules between two measurements, and the effect of counting placements.
 */
@Command(
    name = HerdingCommand.NAME,
    description = {
      "simulation: the same rules with and without counting what was placed since",
      "the last measurement, for measurements every 1, 5 and 15 s"
    },
    mixinStandardHelpOptions = true)
final class HerdingCommand implements Callable<Integer> {
  static final String NAME = "herding";

  private static final ImmutableList<Double> INTERVALS = ImmutableList.of(1.0, 5.0, 15.0);
  private static final ImmutableList<String> FILE_RULES =
      ImmutableList.of("HT-PS", "SL-PS", "RR+HTP", "LC+HTP");
  private static final ImmutableList<String> COMPUTING_RULES =
      ImmutableList.of("CPU+SPH", "LC+SPH", "SL-PS");
  private static final int CLIENTS = 8;
  private static final double PAUSE_SECONDS = 1;

  @Mixin private SimulationOptions options = new SimulationOptions();

  @Option(
      names = "--poisson",
      description = {
        "Random requests at each site instead of eight clients with one request at a time:",
        "0.8 files of 10 MB per second instead of files of 100 MB, and 1.1 computations of 1 s",
        "per second instead of computations of 30 s."
      })
  private boolean poisson;

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "100",
      description = "Measured requests of each client or site, per seed (${DEFAULT-VALUE}).")
  private int requests;

  @Option(
      names = "--bytes",
      paramLabel = "N",
      description = "The size of a file (100000000; with --poisson 10000000).")
  private @Nullable Long bytes;

  /** One kind of requests, and the rules that are tried on it. */
  private record Scenario(Workload workload, String name, ImmutableList<String> rules) {}

  @Override
  public Integer call() throws IOException {
    LabNetwork network = options.network();
    options.require(requests > 0, "--requests must be positive");
    options.require(bytes == null || bytes > 0, "--bytes must be positive");
    SimulationReport report =
        new SimulationReport(
            NAME,
            ImmutableMap.of(
                "topology",
                options.topology,
                "scale",
                options.scale,
                "arrivals",
                poisson ? "poisson" : "closed loop",
                "bytes",
                Math.round(fileBytes()),
                "requests",
                requests,
                "seeds",
                options.seeds),
            List.of(
                "rule",
                "for",
                "every s",
                "mode",
                "p50 s",
                "p90 s",
                "min..max",
                "of greedy",
                "one server",
                "one link"));
    List<Scenario> scenarios = scenarios(network);
    int cases = scenarios.stream().mapToInt(each -> each.rules().size() * INTERVALS.size()).sum();
    try (ProgressLine line = new ProgressLine(cases)) {
      int done = 0;
      for (Scenario scenario : scenarios) {
        for (String rule : scenario.rules()) {
          for (double interval : INTERVALS) {
            line.at(done++, scenario.name() + " by " + rule + ", every " + interval + " s");
            compare(report, network, scenario, rule, interval);
          }
        }
      }
    }
    remarkOmniscient(report, network);
    report.publish(options.output);
    return Main.DONE;
  }

  private List<Scenario> scenarios(LabNetwork network) {
    Service computation = Service.compute(poisson ? 1 : 30);
    return List.of(
        new Scenario(files(network), "ftp", FILE_RULES),
        new Scenario(workload(network, computation, 1.1), computation.name(), COMPUTING_RULES));
  }

  private Workload files(LabNetwork network) {
    return workload(network, Service.ftp(fileBytes()), 0.8);
  }

  private double fileBytes() {
    if (bytes != null) {
      return (double) bytes;
    }
    return poisson ? 10e6 : 100e6;
  }

  private Workload workload(LabNetwork network, Service service, double perSecond) {
    return new Workload(
        poisson
            ? Workload.poisson(network, service, requests, perSecond)
            : Workload.closedLoops(network, CLIENTS, service, requests, PAUSE_SECONDS));
  }

  private void compare(
      SimulationReport report,
      LabNetwork network,
      Scenario scenario,
      String rule,
      double interval) {
    Setting counted = options.setting(network, Algorithm.named(rule).orElseThrow(), interval);
    Setting greedy = counted.with(Counting.MEASURED_ONLY);
    Runs greedyRuns = Runs.of(greedy, scenario.workload(), options.seeds);
    Runs countedRuns = Runs.of(counted, scenario.workload(), options.seeds);
    double greedyP90 = greedyRuns.all().percentile(90);
    add(report, scenario, rule, interval, "greedy", greedyRuns, greedyP90);
    add(report, scenario, rule, interval, "counted", countedRuns, greedyP90);
  }

  private void remarkOmniscient(SimulationReport report, LabNetwork network) {
    Setting setting = options.setting(network, new Algorithm(FILE_RULES.get(0)), 0);
    Sample all = Runs.omniscient(setting, files(network), options.seeds).all();
    report.metric("median_s.ftp.omniscient", all.median(), "s");
    report.metric("p90_s.ftp.omniscient", all.percentile(90), "s");
    report.remark(
        String.format(
            "An omniscient balancer would have a median of %s s and a p90 of %s s for files.",
            number(all.median()), number(all.percentile(90))));
  }

  private void add(
      SimulationReport report,
      Scenario scenario,
      String rule,
      double interval,
      String mode,
      Runs runs,
      double greedyP90) {
    Sample all = runs.all();
    Sample worst = runs.each(run -> run.all().percentile(90));
    OptionalDouble server = runs.mean(Outcome::serverShare);
    OptionalDouble link = runs.mean(Outcome::linkShare);
    String key = String.join(".", scenario.name(), rule, Math.round(interval) + "s", mode);
    report.metric("median_s." + key, all.median(), "s");
    report.metric("p90_s." + key, all.percentile(90), "s");
    server.ifPresent(share -> report.metric("one_server." + key, share, ""));
    link.ifPresent(share -> report.metric("one_link." + key, share, ""));
    List<String> cells = new ArrayList<>();
    cells.add(rule);
    cells.add(scenario.name());
    cells.add(Long.toString(Math.round(interval)));
    cells.add(mode);
    cells.add(number(all.median()));
    cells.add(number(all.percentile(90)));
    cells.add(number(worst.min()) + ".." + number(worst.max()));
    cells.add(percent(all.percentile(90) / greedyP90));
    cells.add(server.isPresent() ? percent(server.getAsDouble()) : "-");
    cells.add(link.isPresent() ? percent(link.getAsDouble()) : "-");
    report.line(cells);
  }
}
