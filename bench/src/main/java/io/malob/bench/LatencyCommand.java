package io.malob.bench;

import io.malob.testing.SwitchRing;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.jar.JarFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures the cost of latency measurements: two controllers in turn, one of which probes. The
 * other has the module, too, because other modules need it; it probes so rarely that it costs
 * nothing.
 */
@Command(
    name = "latency",
    description = {
      "the cost of probing the latency of many links: the controller's idle processor time",
      "with almost no probes, and with probes"
    },
    mixinStandardHelpOptions = true)
final class LatencyCommand implements Callable<Integer> {
  private static final String USUAL_HEAP = "512m";

  /** The JIT compiler has done most of its work by then. */
  /**
   * Until the just-in-time compiler has finished: its work is part of the start, not of the idle
   * state.
   */
  static final int WARMUP_SECONDS = 60;

  /** Takes the place of the default. */
  private static final String SELDOM = "io.malob.latency.LatencyModule.intervalMillis=600000\n";

  @Option(
      names = "--links",
      paramLabel = "N",
      defaultValue = "1000",
      description =
          "Links, in a ring of as many switches, each probed in both directions"
              + " (${DEFAULT-VALUE}).")
  private int links = 1_000;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "2",
      description =
          "Number of times that each of the two is measured, alternating (${DEFAULT-VALUE}).")
  private int rounds = 2;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "20",
      description = "Duration of each measurement (${DEFAULT-VALUE}).")
  private int seconds = 20;

  @Mixin private ControllerOptions controllerOptions = new ControllerOptions();
  @Mixin private ProcessOptions processOptions = new ProcessOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!controllerOptions.isBuilt()) {
      return Main.MISSING;
    }
    try (Workspace workspace = Workspace.open(processOptions.output.out)) {
      measure(workspace).publish(processOptions.output);
    }
    return Main.DONE;
  }

  private Values measure(Workspace workspace) throws IOException, InterruptedException {
    String with = properties();
    String without = with + SELDOM;
    List<Double> off = new ArrayList<>();
    List<Double> on = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      off.add(cpuPercent(workspace, "off-" + round, without));
      on.add(cpuPercent(workspace, "on-" + round, with));
    }
    Values results = new Values();
    results.put("links", links);
    results.put("off_cpu_percent", off);
    results.put("on_cpu_percent", on);
    results.put("probing_cpu_percent", mean(on) - mean(off));
    return results;
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
  }

  private String properties() throws IOException {
    try (JarFile jar = new JarFile(controllerOptions.jar.toFile());
        InputStream in = jar.getInputStream(jar.getEntry("floodlightdefault.properties"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Idle processor time, in percent of one processor, of a controller with these properties. */
  private double cpuPercent(Workspace workspace, String name, String properties)
      throws IOException, InterruptedException {
    Path file = Files.writeString(workspace.directory().resolve(name + ".properties"), properties);
    try (ControllerProcess controller =
            controllerOptions.start(
                processOptions.jvm(USUAL_HEAP), workspace, name, List.of("-cf", file.toString()));
        SwitchRing ring = new SwitchRing(links)) {
      controller.awaitReady();
      ring.connect(controller.openFlowPort());
      controller.await("links", controller.client()::links, 2 * links);
      ProgressBar.sleep(WARMUP_SECONDS, name + ", warming up");
      return controller.restingCpuPercent(seconds, name);
    }
  }
}
