package io.malob.bench;

import io.malob.bench.load.Demand;
import io.malob.bench.load.Extent;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** How much is asked for, and for how long, as options. */
final class LoadOptions {
  private static final List<Integer> USUAL = List.of(64, 256, 1);

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long each figure is measured (${DEFAULT-VALUE}).")
  int seconds;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long the load runs before that (${DEFAULT-VALUE}).")
  int warmup;

  @Option(
      names = "--outstanding",
      paramLabel = "W",
      split = ",",
      description = "Placements on their way at a time; may be repeated (64, 256 and 1).")
  private List<Integer> outstanding = new ArrayList<>();

  @Option(
      names = "--rate",
      paramLabel = "R",
      split = ",",
      description = "So many placements per second instead; may be repeated.")
  private List<Integer> rates = new ArrayList<>();

  @Option(
      names = "--rule-life",
      paramLabel = "MS",
      defaultValue = "2000",
      description =
          "After how long a connection's rule is reported as idle, in milliseconds"
              + " (${DEFAULT-VALUE}).")
  int ruleLifeMillis;

  List<Demand> demands() {
    List<Demand> demands = new ArrayList<>();
    List<Integer> closed = outstanding.isEmpty() && rates.isEmpty() ? USUAL : outstanding;
    closed.forEach(w -> demands.add(new Demand.Outstanding(check("--outstanding", w, 32_768))));
    rates.forEach(rate -> demands.add(new Demand.Rate(check("--rate", rate, 10_000_000))));
    check("--seconds", seconds, 1_000_000);
    check("--rule-life", ruleLifeMillis, 3_600_000);
    return demands;
  }

  Extent extent() {
    return Extent.ofSeconds(warmup, seconds);
  }

  static int check(String name, int value, int max) {
    if (value < 1 || value > max) {
      throw new WrongUseException(name + " must be from 1 to " + max + ", not " + value);
    }
    return value;
  }
}
