package io.malob.bench;

import io.malob.bench.load.Demand;
import io.malob.bench.load.Extent;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Load and duration, as options. */
final class LoadOptions {
  private static final List<Integer> USUAL = List.of(64, 256, 1);

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "Duration of each measurement (${DEFAULT-VALUE}).")
  int seconds;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      defaultValue = "10",
      description = "Duration of the warm-up before it (${DEFAULT-VALUE}).")
  int warmup;

  @Option(
      names = "--outstanding",
      paramLabel = "W",
      split = ",",
      description = "Outstanding placements at a time; may be repeated (64, 256 and 1).")
  private List<Integer> outstanding = new ArrayList<>();

  @Option(
      names = "--rate",
      paramLabel = "R",
      split = ",",
      description = "Placements per second instead; may be repeated.")
  private List<Integer> rates = new ArrayList<>();

  @Option(
      names = "--rule-life",
      paramLabel = "MS",
      defaultValue = "2000",
      description =
          "Idle time after which a connection's rule expires, in milliseconds (${DEFAULT-VALUE}).")
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
