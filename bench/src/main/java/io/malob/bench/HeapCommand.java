package io.malob.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.malob.bench.Experiment.Outcome;
import io.malob.bench.load.Demand;
import io.malob.bench.load.Extent;
import io.malob.bench.load.Network;
import io.malob.bench.load.Scenario;
import io.malob.bench.process.BalancerClient;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Places connections for a long time on a small heap, and checks for growth or slowdown. */
@Command(
    name = HeapCommand.NAME,
    description = "millions of connections on a small heap: does anything grow, slow down or fail?",
    mixinStandardHelpOptions = true)
final class HeapCommand implements Callable<Integer> {
  static final String NAME = "heap";

  private static final String USUAL_HEAP = "512m";
  private static final int MAX_SECONDS = 10_000_000;
  private static final int MAX_OUTSTANDING = 32_768;
  private static final long PATIENCE_MILLIS = 10_000;

  @Mixin private NetworkOptions networkOptions = new NetworkOptions();
  @Mixin private ControllerOptions controllerOptions = new ControllerOptions();
  @Mixin private ProcessOptions processOptions = new ProcessOptions();

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "10000000",
      description = "Connections to place, including those of the warm-up (${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Run for this time instead of a number of connections.")
  private @Nullable Integer seconds;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      defaultValue = "10",
      description = "Duration of the warm-up, which is not measured (${DEFAULT-VALUE}).")
  private int warmup;

  @Option(
      names = "--outstanding",
      paramLabel = "W",
      defaultValue = "64",
      description = "Outstanding placements at a time (${DEFAULT-VALUE}).")
  private int outstanding;

  @Option(
      names = "--rule-life",
      paramLabel = "MS",
      defaultValue = "2000",
      description = "Idle time after which a connection's rule expires (${DEFAULT-VALUE}).")
  private int ruleLifeMillis;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Scenario scenario = checked();
    if (!controllerOptions.isBuilt()) {
      return Main.MISSING;
    }
    Figures figures = new Figures();
    try (Workspace workspace = Workspace.open(processOptions.output.out);
        ControllerProcess controller =
            controllerOptions.start(processOptions.jvm(USUAL_HEAP), workspace);
        Network network = new Network(scenario, ruleLifeMillis)) {
      controller.awaitReady();
      controller.connect(scenario, network);
      measure(figures, scenario, controller, network);
    }
    return figures.publish(NAME, parameters(scenario), processOptions);
  }

  private Scenario checked() {
    LoadOptions.check("--connections", connections, Integer.MAX_VALUE);
    LoadOptions.check("--outstanding", outstanding, MAX_OUTSTANDING);
    LoadOptions.check("--rule-life", ruleLifeMillis, 3_600_000);
    if (seconds != null) {
      LoadOptions.check("--seconds", seconds, MAX_SECONDS);
    }
    return networkOptions.scenario();
  }

  /** Two runs, so that the load pauses while the heap is measured between them. */
  private void measure(
      Figures figures, Scenario scenario, ControllerProcess controller, Network network)
      throws IOException, InterruptedException {
    Experiment experiment = new Experiment(PacketInCommand.TARGET, network, controller.pid());
    Demand demand = new Demand.Outstanding(outstanding);
    BalancerClient client = controller.client();
    MemoryState start = MemoryState.of(controller);
    Outcome first = experiment.run(demand, half(warmup, connections / 2));
    MemoryState middle = MemoryState.of(controller);
    Outcome second = experiment.run(demand, half(0, connections - connections / 2));
    MemoryState end = MemoryState.of(controller);
    awaitEnds(client, scenario);
    MemoryState after = MemoryState.of(controller);
    List.of(first, second).forEach(Report::explain);
    HeapFigures.addLoad(figures, first.measurement(), second.measurement());
    HeapFigures.addCpu(figures, first, second);
    HeapFigures.addMemory(figures, start, middle, end, after);
    JsonNode counters = client.counters();
    long refusedRules = 0;
    for (JsonNode bySwitch : counters.path("refused_rules")) {
      for (JsonNode count : bySwitch) {
        refusedRules += count.asLong();
      }
    }
    long placed = first.measurement().placedInAll() + second.measurement().placedInAll();
    figures.addExactly(
        "total", "balancer: placed", client.poolCount(scenario, "total_connections"), placed);
    figures.addExactly(
        "active",
        "balancer: active at the end",
        client.poolCount(scenario, "active_connections"),
        0);
    figures.addExactly(
        "open", "balancer: open at the end", counters.path("open_connections").asLong(), 0);
    figures.addExactly(
        "unsent", "balancer: batches not sent", counters.path("unsent_batches").asLong(), 0);
    figures.addExactly("refused_rules", "balancer: rules refused", refusedRules, 0);
  }

  private Extent half(int warmupSeconds, int itsConnections) {
    return seconds == null
        ? new Extent(warmupSeconds, MAX_SECONDS, itsConnections)
        : Extent.ofSeconds(warmupSeconds, (seconds + 1) / 2);
  }

  private void awaitEnds(BalancerClient client, Scenario scenario)
      throws IOException, InterruptedException {
    System.err.println("waiting for the last rules to end");
    TimeUnit.MILLISECONDS.sleep(ruleLifeMillis);
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
    while (client.poolCount(scenario, "active_connections") > 0 && System.nanoTime() - end < 0) {
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  private Map<String, ?> parameters(Scenario scenario) {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("network", scenario);
    if (seconds == null) {
      parameters.put("connections", connections);
    } else {
      parameters.put("seconds", seconds);
    }
    parameters.put("warmup_seconds", warmup);
    parameters.put("outstanding", outstanding);
    parameters.put("rule_life_ms", ruleLifeMillis);
    parameters.put("heap", processOptions.heapOr(USUAL_HEAP));
    return parameters;
  }
}
