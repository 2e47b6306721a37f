package io.malob.bench;

import io.malob.bench.process.HeapProbe;
import io.malob.bench.process.ProcessStatus;
import io.malob.testing.SwitchRing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the cost of many connected switches. */
@Command(
    name = "switches",
    description = {
      "the time until many switches are active and all links between them are known,",
      "and what they cost when idle"
    },
    mixinStandardHelpOptions = true)
final class SwitchesCommand implements Callable<Integer> {
  private static final String USUAL_HEAP = "512m";

  @Option(
      names = "--switches",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Switches, in a ring (${DEFAULT-VALUE}).")
  private int switches = 1_000;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "20",
      description = "Duration of the idle measurement (${DEFAULT-VALUE}).")
  private int seconds = 20;

  @Option(
      names = "-cf",
      paramLabel = "FILE",
      description = "The controller's properties, in place of its defaults.")
  private @Nullable Path properties;

  @Mixin private ControllerOptions controllerOptions = new ControllerOptions();
  @Mixin private ProcessOptions processOptions = new ProcessOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!controllerOptions.isBuilt()) {
      return Main.MISSING;
    }
    List<String> arguments =
        properties == null ? List.of() : List.of("-cf", properties.toAbsolutePath().toString());
    Values results = new Values();
    try (Workspace workspace = Workspace.open(processOptions.output.out);
        ControllerProcess controller =
            controllerOptions.start(
                processOptions.jvm(USUAL_HEAP), workspace, "controller", arguments);
        SwitchRing ring = new SwitchRing(switches)) {
      controller.awaitReady();
      measure(results, controller, ring);
    }
    results.publish(processOptions.output);
    return Main.DONE;
  }

  private void measure(Values results, ControllerProcess controller, SwitchRing ring)
      throws IOException, InterruptedException {
    results.put("switches", switches);
    long start = System.nanoTime();
    ring.connect(controller.openFlowPort());
    controller.await("switches", controller.client()::switches, switches);
    results.put("active_s", secondsSince(start));
    controller.await("links", controller.client()::links, 2 * switches);
    results.put("all_links_s", secondsSince(start));
    long pid = controller.pid();
    results.put("until_then_cpu_s", ProcessStatus.cpuSeconds(pid).orElse(Double.NaN));
    ProgressBar.sleep(LatencyCommand.WARMUP_SECONDS, "warming up");
    results.put("rest_cpu_percent", controller.restingCpuPercent(seconds, "at rest"));
    results.put("resident_mb", ProcessStatus.residentMegabytes(pid).orElse(Double.NaN));
    results.put("live_heap_mb", HeapProbe.liveMegabytes(pid));
  }

  private static double secondsSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e9;
  }
}
