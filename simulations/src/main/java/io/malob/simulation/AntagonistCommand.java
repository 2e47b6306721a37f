package io.malob.simulation;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Algorithm;
import io.malob.simulation.model.AntagonistRuns;
import io.malob.simulation.model.AntagonistRuns.Percentiles;
import io.malob.simulation.model.AntagonistRuns.Scarce;
import io.malob.simulation.model.LabNetwork;
import io.malob.simulation.model.PairedRatio;
import io.malob.simulation.model.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Tail latencies while other tenants and cross traffic take changing parts of servers and links.
 */
@Command(
    name = AntagonistCommand.NAME,
    description = {
      "simulation: tail latencies while other tenants and cross traffic take changing",
      "parts of servers and links"
    },
    mixinStandardHelpOptions = true)
final class AntagonistCommand implements Callable<Integer> {
  static final String NAME = "antagonist";

  /** Nine switches. */
  private static final String NETWORK = "geni-wan";

  @Option(
      names = "--rules",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "LC+SPH,P2C+SPH,CPU+SPH,SL-PS,HT-PS,PCT,PREQUAL+SPH,PREQUAL",
      description = "Algorithms to compare (${DEFAULT-VALUE}).")
  private List<String> rules = new ArrayList<>();

  @Option(
      names = "--base",
      paramLabel = "NAME",
      defaultValue = "P2C+SPH",
      description = "The algorithm that the others are compared with (${DEFAULT-VALUE}).")
  private String base = "";

  @Option(
      names = "--scarce",
      paramLabel = "KIND",
      split = ",",
      defaultValue = "SERVERS,LINKS,BOTH",
      description = "What the requests need much of: ${COMPLETION-CANDIDATES} (all).")
  private List<Scarce> scarce = new ArrayList<>();

  @Option(
      names = "--load",
      paramLabel = "PERCENT",
      defaultValue = "85",
      description =
          "Load of the servers and of the busiest link if requests were spread evenly"
              + " (${DEFAULT-VALUE}).")
  private double load;

  @Option(
      names = "--answer",
      paramLabel = "KB",
      defaultValue = "250",
      description =
          "Mean size of an answer where links are scarce; larger answers are fewer for the same"
              + " load (${DEFAULT-VALUE}).")
  private double answerKilobytes;

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Measured requests of each client, per seed (${DEFAULT-VALUE}).")
  private int requests;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "10",
      description = "Number of runs of each kind, with seeds from 1 (${DEFAULT-VALUE}).")
  private int seeds;

  @Mixin private final OutputOptions output = new OutputOptions();

  @Override
  public Integer call() throws IOException {
    output.require(load > 0, "--load must be positive");
    output.require(answerKilobytes > 0, "--answer must be positive");
    output.require(requests > 0, "--requests must be positive");
    output.require(seeds > 0, "--seeds must be positive");
    ImmutableList<Algorithm> algorithms =
        rules.stream().map(this::algorithm).collect(ImmutableList.toImmutableList());
    SimulationReport report =
        new SimulationReport(
            NAME,
            ImmutableMap.of(
                "topology", NETWORK,
                "load", load,
                "answer_kb", answerKilobytes,
                "requests", requests,
                "seeds", seeds),
            List.of("scarce", "rule", "p50 s", "p99 s", "p99.9 s", "p50", "p99", "p99.9"));
    AntagonistRuns runs =
        new AntagonistRuns(
            LabNetwork.named(NETWORK).orElseThrow(), load / 100, 8000 * answerKilobytes, requests);
    try (ProgressLine line = new ProgressLine(scarce.size() * (algorithms.size() + 1))) {
      int done = 0;
      for (Scarce kind : scarce) {
        line.at(done++, kind + " by " + base);
        Percentiles ofBase = runs.run(algorithm(base), kind, seeds);
        for (Algorithm algorithm : algorithms) {
          line.at(done++, kind + " by " + algorithm.name());
          add(report, kind, algorithm, runs.run(algorithm, kind, seeds), ofBase);
        }
      }
    }
    report.remark("The last columns are relative to " + base + ", with 95 % intervals.");
    report.publish(output);
    return Main.DONE;
  }

  private Algorithm algorithm(String name) {
    return Algorithm.named(name)
        .orElseThrow(() -> output.wrong("there is no algorithm '" + name + "'"));
  }

  private static void add(
      SimulationReport report,
      Scarce kind,
      Algorithm algorithm,
      Percentiles percentiles,
      Percentiles base) {
    String scarce = kind.name().toLowerCase(Locale.ROOT);
    List<String> cells = new ArrayList<>(List.of(scarce, algorithm.name()));
    List<String> relative = new ArrayList<>();
    for (Map.Entry<String, Sample> each : percentiles.byName().entrySet()) {
      String key = String.join(".", scarce, algorithm.name());
      double mean = each.getValue().mean();
      cells.add(String.format(Locale.ROOT, "%.3f", mean));
      report.metric(each.getKey() + "_s." + key, mean, "s");
      PairedRatio ratio =
          PairedRatio.of(
              each.getValue(), base.byName().getOrDefault(each.getKey(), each.getValue()));
      report.metric(each.getKey() + "_ratio." + key, ratio.ratio(), "");
      report.metric(each.getKey() + "_ratio_low." + key, ratio.low(), "");
      report.metric(each.getKey() + "_ratio_high." + key, ratio.high(), "");
      relative.add(
          String.format(
              Locale.ROOT,
              "%.0f %% (%.0f–%.0f)",
              100 * ratio.ratio(),
              100 * ratio.low(),
              100 * ratio.high()));
    }
    cells.addAll(relative);
    report.line(cells);
  }
}
