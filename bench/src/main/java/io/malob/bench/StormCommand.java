package io.malob.bench;

import io.malob.bench.Experiment.Outcome;
import io.malob.bench.load.AddressFamily;
import io.malob.bench.load.Demand;
import io.malob.bench.load.Extent;
import io.malob.bench.load.Measurement;
import io.malob.bench.load.Network;
import io.malob.bench.load.Scenario;
import io.malob.bench.load.Storm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the effect of a storm of unwanted packets on other connections. */
@Command(
    name = StormCommand.NAME,
    description = {
      "the effect of ten times more packet-ins than can be placed, to one VIP or to no host, on",
      "connections to other VIPs on the same switch and on another one, and on memory"
    },
    mixinStandardHelpOptions = true)
final class StormCommand implements Callable<Integer> {
  static final String NAME = "storm";

  private static final int SITES = 2;
  private static final int TIMES = 10;
  private static final int CAPACITY_OUTSTANDING = 256;
  private static final int AFTER_SECONDS = 5;
  private static final int RULE_LIFE_MILLIS = 2_000;
  private static final double LONG_MILLIS = 50;
  private static final double RECOVERY_SECONDS = 2;

  @Mixin private ControllerOptions controllerOptions = new ControllerOptions();
  @Mixin private ProcessOptions processOptions = new ProcessOptions();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "Duration of each storm (${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      defaultValue = "10",
      description = "Duration of the warm-up before the first measurement (${DEFAULT-VALUE}).")
  private int warmup;

  @Option(
      names = "--rate",
      paramLabel = "R",
      defaultValue = "1000",
      description = "Wanted connections per second, over both switches (${DEFAULT-VALUE}).")
  private int rate;

  @Option(
      names = "--storm",
      paramLabel = "R",
      description = "Unwanted packets per second (ten times what is placed without them).")
  private @Nullable Integer stormRate;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      split = ",",
      description = "SYN, PORTS, ARP, HOSTS; may be repeated (all).")
  private List<Storm.Kind> kinds = new ArrayList<>();

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    if (!controllerOptions.isBuilt()) {
      return Main.MISSING;
    }
    Scenario scenario = new Scenario(SITES, 1, 3, 16, 0, AddressFamily.IPV4);
    Figures figures = new Figures();
    try (Workspace workspace = Workspace.open(processOptions.output.out);
        ControllerProcess controller =
            controllerOptions.start(processOptions.jvm(PacketInCommand.USUAL_HEAP), workspace);
        Network network = new Network(scenario, RULE_LIFE_MILLIS)) {
      controller.awaitReady();
      controller.client().configureAttacked(scenario);
      controller.connect(scenario, network);
      measure(figures, controller, network);
    }
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("seconds", seconds);
    parameters.put("rate", rate);
    return figures.publish(NAME, parameters, processOptions);
  }

  private void check() {
    LoadOptions.check("--seconds", seconds, 100_000);
    LoadOptions.check("--rate", rate, 1_000_000);
    if (stormRate != null) {
      LoadOptions.check("--storm", stormRate, 10_000_000);
    }
  }

  private void measure(Figures figures, ControllerProcess controller, Network network)
      throws IOException, InterruptedException {
    Experiment experiment = new Experiment(PacketInCommand.TARGET, network, controller.pid());
    Outcome calibration =
        experiment.run(
            new Demand.Outstanding(CAPACITY_OUTSTANDING), Extent.ofSeconds(warmup, seconds));
    int unwanted =
        stormRate != null ? stormRate : (int) (TIMES * calibration.measurement().median());
    figures.add("capacity", "max placed without a storm", calibration.measurement().median(), "/s");
    Demand wanted = new Demand.Rate(rate);
    Outcome calm = experiment.run(wanted, Extent.ofSeconds(1, seconds));
    addLatency(figures, "calm", calm.measurement());
    MemoryState.of(controller).addTo(figures, "calm", "before the storms");
    for (Storm.Kind kind : kinds.isEmpty() ? List.of(Storm.Kind.values()) : kinds) {
      measure(figures, experiment, controller, network, kind, unwanted);
    }
  }

  private void measure(
      Figures figures,
      Experiment experiment,
      ControllerProcess controller,
      Network network,
      Storm.Kind kind,
      int unwanted)
      throws IOException, InterruptedException {
    String key = kind.name().toLowerCase(Locale.ROOT);
    Demand wanted = new Demand.Rate(rate);
    network.storm(kind, unwanted);
    Outcome storm = experiment.run(wanted, Extent.ofSeconds(1, seconds));
    Storm.Sent sent = network.storm(kind, 0);
    int rules = network.stormRules();
    long end = System.nanoTime();
    Outcome after = experiment.run(wanted, Extent.ofSeconds(0, AFTER_SECONDS));
    long lastBad = network.lastBadNanos();
    List.of(storm, after).forEach(Report::explain);
    Measurement measured = storm.measurement();
    double lasted = seconds + 1.0;
    figures.add(key + "_sent", kind + ": unwanted packets", sent.sent() / lasted, "/s");
    figures.add(
        key + "_blocked", "  dropped by the switch, by a rule", sent.blocked() / lasted, "/s");
    figures.add(key + "_dropped", "  dropped by the switch, unread", sent.dropped() / lasted, "/s");
    figures.addCount(key + "_rules", "  connections with rules at its end", rules);
    addLatency(figures, key, measured);
    figures.addExactly(key + "_failed", "  wanted that failed or took 2 s", measured.failed(), 0);
    figures.addBelow(
        key + "_recovery",
        "  until the last that took 50 ms, after its end",
        Math.max(0, lastBad - end) / 1e9,
        "s",
        RECOVERY_SECONDS);
    figures.add(
        key + "_cpu",
        "  controller's processors",
        storm.targetCpuSeconds().orElse(0) / storm.wallSeconds(),
        "");
    MemoryState.of(controller).addTo(figures, key, "after it");
  }

  private static void addLatency(Figures figures, String key, Measurement measured) {
    String[] names = {"same switch", "other switch"};
    for (int site = 0; site < SITES; site++) {
      String at = key + "_" + names[site].replace(' ', '_');
      figures.add(
          at + "_p50",
          "  wanted, " + names[site] + ", p50",
          measured.latencyMillis(site, 50),
          "ms");
      figures.addBelow(
          at + "_p99",
          "  wanted, " + names[site] + ", p99",
          measured.latencyMillis(site, 99),
          "ms",
          LONG_MILLIS);
    }
  }
}
