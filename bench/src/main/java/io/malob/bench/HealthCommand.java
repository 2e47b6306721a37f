package io.malob.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.malob.bench.load.Network;
import io.malob.bench.load.Scenario;
import io.malob.bench.process.ProcessStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures what it costs to check members, and whether they are all asked at a time. */
@Command(
    name = "health",
    description = {
      "what checking many members costs: the controller's processor time at rest without a monitor",
      "and with one, and how many checks come at a time"
    },
    mixinStandardHelpOptions = true)
final class HealthCommand implements Callable<Integer> {
  private static final long SLOT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The JIT compiler has done most of its work by then. */
  private static final int WARMUP_SECONDS = 20;

  @Option(
      names = "--members",
      paramLabel = "N",
      defaultValue = "1000",
      description = "How many, of one pool (${DEFAULT-VALUE}).")
  private int members = 1_000;

  @Option(
      names = "--delay",
      paramLabel = "SECONDS",
      defaultValue = "5",
      description = "From one check of a member to its next (${DEFAULT-VALUE}).")
  private int delay = 5;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "30",
      description = "How long each of the two is measured (${DEFAULT-VALUE}).")
  private int seconds = 30;

  @Mixin private ControllerOptions controllerOptions = new ControllerOptions();

  @Option(names = "--json", description = "Results as JSON.")
  private boolean json;

  @Option(names = "--out", paramLabel = "DIR", description = "Keep the controller's log there.")
  private @Nullable Path out;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!controllerOptions.isBuilt()) {
      return Main.MISSING;
    }
    Scenario scenario = new Scenario(1, 1, members, 1, 0);
    try (Workspace workspace = Workspace.open(out);
        ControllerProcess controller = controllerOptions.start(List.of("-Xmx512m"), workspace);
        Network network = new Network(scenario, 0)) {
      ControllerProcess.Startup unused = controller.awaitReady();
      controller.connect(scenario, network);
      Map<String, Object> results = measure(controller, network);
      publish(results);
      return members == (int) results.getOrDefault("members_up", 0) ? Main.DONE : Main.FAILED;
    }
  }

  private Map<String, Object> measure(ControllerProcess controller, Network network)
      throws IOException, InterruptedException {
    ProgressBar.sleep(WARMUP_SECONDS, "without a monitor, warming up");
    double off = cpuPercent(controller, "without a monitor");
    controller.client().monitor("pool0", delay);
    TimeUnit.SECONDS.sleep(2L * delay);
    ProgressBar.sleep(WARMUP_SECONDS, "with a monitor, warming up");
    long[] before = network.takeChecks();
    double on = cpuPercent(controller, "with a monitor");
    long[] checks = network.takeChecks();
    Map<String, Object> results = new LinkedHashMap<>();
    results.put("members", members);
    results.put("members_up", controller.client().membersUp("pool0"));
    results.put("checks_per_s", (double) checks.length / seconds);
    results.put("most_in_10_ms", mostWithin(checks, SLOT_NANOS));
    results.put("most_in_10_ms_at_first", mostWithin(before, SLOT_NANOS));
    results.put("off_cpu_percent", off);
    results.put("on_cpu_percent", on);
    results.put("checking_cpu_percent", on - off);
    return results;
  }

  /** Processor time, in percent of one processor. */
  private double cpuPercent(ControllerProcess controller, String what) throws InterruptedException {
    double before = ProcessStatus.cpuSeconds(controller.pid()).orElse(Double.NaN);
    ProgressBar.sleep(seconds, what);
    double after = ProcessStatus.cpuSeconds(controller.pid()).orElse(Double.NaN);
    return 100 * (after - before) / seconds;
  }

  /** The most of them that are within so many nanoseconds; they are in order. */
  static int mostWithin(long[] times, long nanos) {
    int most = 0;
    int first = 0;
    for (int i = 0; i < times.length; i++) {
      while (times[i] - times[first] >= nanos) {
        first++;
      }
      most = Math.max(most, i - first + 1);
    }
    return most;
  }

  private void publish(Map<String, Object> results) throws IOException {
    if (json) {
      System.out.println(new ObjectMapper().writeValueAsString(results));
    } else {
      results.forEach(
          (name, value) ->
              System.out.printf(
                  "%-23s%s%n",
                  name, value instanceof Double number ? String.format("%.1f", number) : value));
    }
  }
}
