package io.malob.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.malob.bench.Experiment.Outcome;
import io.malob.bench.load.AddressFamily;
import io.malob.bench.load.Demand;
import io.malob.bench.load.Measurement;
import io.malob.bench.load.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** The results of a benchmark as text and as JSON. */
final class Report {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private final String benchmark;
  private final Scenario scenario;
  private final LoadOptions options;
  private final ProcessOptions processOptions;
  private final List<Outcome> outcomes;

  Report(
      String benchmark,
      Scenario scenario,
      LoadOptions options,
      ProcessOptions processOptions,
      List<Outcome> outcomes) {
    this.benchmark = benchmark;
    this.scenario = scenario;
    this.options = options;
    this.processOptions = processOptions;
    this.outcomes = outcomes;
  }

  /** Prints the results, optionally writes them to a file, and returns the exit code. */
  int publish() throws IOException {
    String json = JSON.writeValueAsString(json());
    Path out = processOptions.output.out;
    if (out != null) {
      Files.writeString(out.resolve(benchmark + ".json"), json + "\n");
    }
    System.out.print(processOptions.output.json ? json + "\n" : text());
    boolean good = outcomes.stream().allMatch(outcome -> outcome.measurement().isGood());
    outcomes.forEach(Report::explain);
    return good ? Main.DONE : Main.FAILED;
  }

  static void explain(Outcome outcome) {
    Measurement measurement = outcome.measurement();
    measurement
        .examples()
        .forEach(
            (kind, example) ->
                System.err.printf(
                    "%s %s: %s, %d times; first: %s%n",
                    outcome.target(),
                    measurement.demand().text(),
                    kind,
                    measurement.faults().getOrDefault(kind, 0L),
                    example));
    if (measurement.placed() == 0) {
      System.err.println(outcome.target() + ": no placement succeeded");
    }
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%-11s%-10s%12s%10s%10s%9s%9s%9s%9s%9s%9s%8s%9s%8s%8s%n",
            "target",
            "demand",
            "placements/s",
            "min",
            "max",
            "p50 ms",
            "p90 ms",
            "p99 ms",
            "p99.9 ms",
            "max ms",
            "cpu s",
            "cpu µs",
            "gen cpu",
            "RSS MB",
            "failed"));
    for (Outcome outcome : outcomes) {
      Measurement m = outcome.measurement();
      text.append(
          String.format(
              Locale.ROOT,
              "%-11s%-10s%12.0f%10.0f%10.0f%9.3f%9.3f%9.3f%9.2f%9.2f%9.2f%8.1f%9.2f%8.0f%8d%n",
              outcome.target(),
              m.demand().text(),
              m.median(),
              m.min(),
              m.max(),
              m.latencyMillis(50),
              m.latencyMillis(90),
              m.latencyMillis(99),
              m.latencyMillis(99.9),
              m.latencyMillis(100),
              outcome.targetCpuSeconds().orElse(Double.NaN),
              1e6 * outcome.targetCpuSeconds().orElse(Double.NaN) / m.placed(),
              outcome.generatorCpuSeconds().orElse(Double.NaN),
              outcome.targetMegabytes().orElse(Double.NaN),
              m.failed()));
    }
    return text.append(comparison()).toString();
  }

  /** The part of the ceiling that each demand reached, if both were measured. */
  private String comparison() {
    StringBuilder text = new StringBuilder();
    for (Outcome outcome : outcomes) {
      Outcome ceiling = ceilingOf(outcome);
      if (ceiling != null) {
        text.append(
            String.format(
                Locale.ROOT,
                "%s: %.0f %% of codec%n",
                outcome.measurement().demand().text(),
                100 * outcome.measurement().median() / ceiling.measurement().median()));
      }
    }
    return text.toString();
  }

  private @Nullable Outcome ceilingOf(Outcome outcome) {
    if (outcome.target().equals(CodecCommand.NAME)) {
      return null;
    }
    return outcomes.stream()
        .filter(other -> other.target().equals(CodecCommand.NAME))
        .filter(other -> other.measurement().demand().equals(outcome.measurement().demand()))
        .findFirst()
        .orElse(null);
  }

  private ObjectNode json() {
    ObjectNode root = JSON.createObjectNode().put("benchmark", benchmark);
    root.putObject("parameters")
        .put("switches", scenario.sites())
        .put("path_length", scenario.pathLength())
        .put("members", scenario.members())
        .put("clients", scenario.clients())
        .put("hosts", scenario.hosts())
        .put("ipv6", scenario.family() == AddressFamily.IPV6)
        .put("seconds", options.seconds)
        .put("warmup_seconds", options.warmup)
        .put("rule_life_ms", options.ruleLifeMillis)
        .put("heap", processOptions.heapOr(PacketInCommand.USUAL_HEAP));
    Figures.describeMachine(root.putObject("machine"));
    ArrayNode runs = root.putArray("runs");
    outcomes.forEach(outcome -> add(runs.addObject(), outcome));
    return root;
  }

  private void add(ObjectNode run, Outcome outcome) {
    Measurement m = outcome.measurement();
    run.put("target", outcome.target());
    if (m.demand() instanceof Demand.Outstanding closed) {
      run.put("outstanding", closed.connections());
    } else if (m.demand() instanceof Demand.Rate open) {
      run.put("rate", open.perSecond());
    }
    run.putObject("placements_per_s")
        .put("median", m.median())
        .put("min", m.min())
        .put("max", m.max());
    run.putObject("latency_ms")
        .put("p50", m.latencyMillis(50))
        .put("p90", m.latencyMillis(90))
        .put("p99", m.latencyMillis(99))
        .put("p99_9", m.latencyMillis(99.9))
        .put("max", m.latencyMillis(100));
    ObjectNode cpu = run.putObject("cpu_s");
    put(cpu, "target", outcome.targetCpuSeconds());
    put(cpu, "generator", outcome.generatorCpuSeconds());
    cpu.put("wall", outcome.wallSeconds());
    put(run, "rss_mb", outcome.targetMegabytes());
    Outcome ceiling = ceilingOf(outcome);
    if (ceiling != null) {
      run.put("of_codec", m.median() / ceiling.measurement().median());
    }
    run.put("placements", m.placed()).put("failed", m.failed()).put("skipped", m.skipped());
    ObjectNode faults = run.putObject("faults");
    m.faults().forEach(faults::put);
  }

  private static void put(ObjectNode node, String name, OptionalDouble value) {
    if (value.isPresent()) {
      node.put(name, value.getAsDouble());
    } else {
      node.putNull(name);
    }
  }
}
