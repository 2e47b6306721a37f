package io.malob.bench;

import io.malob.bench.load.Demand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much is asked for, for how long, and where the results go, as options. */
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

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "1g",
      description = "The heap of the measured process, as for -Xmx (${DEFAULT-VALUE}).")
  String heap = "";

  @Option(
      names = "--java-option",
      paramLabel = "OPTION",
      description = "Another option for the JVM of the controller; may be repeated.")
  List<String> javaOptions = new ArrayList<>();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where the results (JSON) and the log of the measured process go.")
  @Nullable Path out;

  @Option(names = "--json", description = "Print the results as JSON.")
  boolean json;

  @Option(
      names = "--jvm-options",
      paramLabel = "FILE",
      defaultValue = "scripts/launcher/jvm.options",
      description =
          "The measured JVM's options, one per line: those of './malob run' (${DEFAULT-VALUE}, if it"
              + " is there).")
  private Path jvmOptions = Path.of("");

  /** The options of the JVM that is measured, the more special ones last. */
  List<String> jvm() {
    List<String> options = new ArrayList<>();
    if (Files.isReadable(jvmOptions)) {
      options.add("@" + jvmOptions);
    }
    options.add("-Xmx" + heap);
    options.addAll(javaOptions);
    return options;
  }

  List<Demand> demands() {
    List<Demand> demands = new ArrayList<>();
    List<Integer> closed = outstanding.isEmpty() && rates.isEmpty() ? USUAL : outstanding;
    closed.forEach(w -> demands.add(new Demand.Outstanding(check("--outstanding", w, 32_768))));
    rates.forEach(rate -> demands.add(new Demand.Rate(check("--rate", rate, 10_000_000))));
    check("--seconds", seconds, 1_000_000);
    check("--rule-life", ruleLifeMillis, 3_600_000);
    return demands;
  }

  private static int check(String name, int value, int max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException(name + " must be from 1 to " + max + ", not " + value);
    }
    return value;
  }
}
