package io.malob.simulation;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.malob.algorithm.graph.HamiltonianSearch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How often, and how fast, a Hamiltonian path is found in networks that have one. */
@Command(
    name = HamiltonianCommand.NAME,
    description = "the share of Hamiltonian paths that are found, and how fast, by kind of network",
    mixinStandardHelpOptions = true)
final class HamiltonianCommand implements Callable<Integer> {
  static final String NAME = "hamiltonian";

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final int WARM_UP = 20;
  private static final int WARM_UP_SWITCHES = 100;
  private static final int MIN_SWITCHES = 20;
  private static final double NANOS_PER_MILLI = 1e6;

  @Option(
      names = "--switches",
      paramLabel = "N",
      split = ",",
      defaultValue = "100,1000",
      description = "Sizes of the networks, multiples of 20 (${DEFAULT-VALUE}).")
  private List<Integer> sizes = new ArrayList<>();

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "100",
      description = "Networks of each kind and size, with seeds from 1 (${DEFAULT-VALUE}).")
  private int seeds;

  @Mixin private OutputOptions output = new OutputOptions();

  /** The searches of one kind and size; times in ascending order. */
  private record Series(Family family, int switches, int found, List<Double> millis) {
    double median() {
      return millis.get(millis.size() / 2);
    }

    double worst() {
      return millis.get(millis.size() - 1);
    }
  }

  @Override
  public Integer call() throws IOException {
    boolean possible = seeds > 0 && sizes.stream().allMatch(n -> n > 0 && n % MIN_SWITCHES == 0);
    output.require(possible, "--seeds must be positive, --switches multiples of 20");
    for (Family family : Family.values()) {
      measure(family, WARM_UP_SWITCHES, WARM_UP);
    }
    List<Series> all = new ArrayList<>();
    try (ProgressLine line = new ProgressLine(sizes.size() * Family.values().length)) {
      for (int switches : sizes) {
        for (Family family : Family.values()) {
          line.at(all.size(), family + " of " + switches + " switches");
          all.add(measure(family, switches, seeds));
        }
      }
    }
    output.publish(NAME, JSON.writeValueAsString(json(all)) + "\n", table(all));
    return all.stream().allMatch(series -> series.found() > 0) ? Main.DONE : Main.FAILED;
  }

  private static Series measure(Family family, int switches, int seeds) {
    List<Double> millis = new ArrayList<>();
    int found = 0;
    for (int seed = 1; seed <= seeds; seed++) {
      Family.Network network = family.draw(switches, new Random(seed));
      long begin = System.nanoTime();
      HamiltonianSearch.Result result =
          new HamiltonianSearch(network.topology()).find(network.first(), Set.of(), seed);
      millis.add((System.nanoTime() - begin) / NANOS_PER_MILLI);
      found += result instanceof HamiltonianSearch.Found ? 1 : 0;
    }
    return new Series(family, switches, found, millis.stream().sorted().toList());
  }

  private ObjectNode json(List<Series> all) {
    ObjectNode root = JSON.createObjectNode().put("experiment", NAME);
    root.putObject("parameters").put("seeds", seeds);
    ObjectNode metrics = root.putObject("metrics");
    for (Series series : all) {
      String key = series.family() + "." + series.switches();
      metrics.putObject("found." + key).put("value", series.found()).put("unit", "");
      metrics.putObject("median_ms." + key).put("value", series.median()).put("unit", "ms");
      metrics.putObject("worst_ms." + key).put("value", series.worst()).put("unit", "ms");
    }
    return root;
  }

  private String table(List<Series> all) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            "%-12s%10s%12s%12s%12s%n", "network", "switches", "found", "median ms", "worst ms"));
    for (Series series : all) {
      text.append(
          String.format(
              Locale.ROOT,
              "%-12s%10d%12s%12.2f%12.2f%n",
              series.family(),
              series.switches(),
              series.found() + "/" + seeds,
              series.median(),
              series.worst()));
    }
    return text.toString();
  }
}
