package io.malob.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.malob.bench.process.BalancerClient;
import io.malob.bench.process.ChildProcess;
import io.malob.bench.process.FreePort;
import io.malob.bench.process.ProcessStatus;
import io.malob.bench.ring.SwitchRing;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what it costs to measure latencies: two controllers in turn, with and without it. */
@Command(
    name = "latency",
    description = {
      "what probing the latency of many links costs: the controller's processor time at rest",
      "without the module and with it"
    },
    mixinStandardHelpOptions = true)
final class LatencyCommand implements Callable<Integer> {
  private static final String MODULE = "io.malob.latency.LatencyModule,\\\n";

  @Option(
      names = "--links",
      paramLabel = "N",
      defaultValue = "1000",
      description =
          "How many, in a ring of as many switches, each in two directions (${DEFAULT-VALUE}).")
  private int links = 1_000;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "2",
      description = "How often each of the two is measured, by turns (${DEFAULT-VALUE}).")
  private int rounds = 2;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "20",
      description = "How long each time (${DEFAULT-VALUE}).")
  private int seconds = 20;

  @Option(
      names = "--controller-jar",
      paramLabel = "PATH",
      defaultValue = "target/malob.jar",
      description = "The controller to start (${DEFAULT-VALUE}).")
  private Path controllerJar = Path.of("target/malob.jar");

  @Option(names = "--json", description = "Results as JSON.")
  private boolean json;

  @Option(names = "--out", paramLabel = "DIR", description = "Keep the controllers' logs there.")
  private @Nullable Path out;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!CodecCommand.exists(controllerJar)) {
      return Main.MISSING;
    }
    try (Workspace workspace = Workspace.open(out)) {
      Path data = workspace.data();
      try {
        publish(measure(workspace.directory(), data));
      } finally {
        Workspace.delete(data);
      }
    }
    return Main.DONE;
  }

  private Map<String, Object> measure(Path directory, Path data)
      throws IOException, InterruptedException {
    String with = properties();
    String without = with.replace(MODULE, "");
    if (without.equals(with)) {
      throw new IOException("the controller's properties do not name " + MODULE.trim());
    }
    List<Double> off = new ArrayList<>();
    List<Double> on = new ArrayList<>();
    try (ProgressBar bar = ProgressBar.of(2L * rounds)) {
      for (int round = 1; round <= rounds; round++) {
        bar.at(2L * round - 2, "round " + round + ", without probes");
        off.add(cpuPercent(without, directory, "off-" + round, data));
        bar.at(2L * round - 1, "round " + round + ", with probes");
        on.add(cpuPercent(with, directory, "on-" + round, data));
      }
    }
    Map<String, Object> results = new LinkedHashMap<>();
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
    try (JarFile jar = new JarFile(controllerJar.toFile());
        InputStream in = jar.getInputStream(jar.getEntry("floodlightdefault.properties"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Processor time at rest, in percent of one processor. */
  private double cpuPercent(String properties, Path directory, String name, Path data)
      throws IOException, InterruptedException {
    int openFlowPort = FreePort.find();
    int httpPort = FreePort.find();
    Path file = Files.writeString(directory.resolve(name + ".properties"), properties);
    List<String> arguments =
        List.of(
            "-Xmx512m",
            "-jar",
            controllerJar.toAbsolutePath().toString(),
            "-cf",
            file.toString(),
            "--openflow-port",
            Integer.toString(openFlowPort),
            "--http-port",
            Integer.toString(httpPort),
            "--data",
            data.toString());
    try (ChildProcess child = ChildProcess.start(arguments, directory.resolve(name + ".log"));
        SwitchRing ring = new SwitchRing(links)) {
      BalancerClient client = new BalancerClient("127.0.0.1:" + httpPort);
      SwitchesCommand.await(child, "REST", () -> client.isHealthy() ? 1 : 0, 1);
      ring.connect(openFlowPort);
      SwitchesCommand.await(child, "links", client::links, 2 * links);
      // the JIT compiler has done most of its work by then
      TimeUnit.SECONDS.sleep(20);
      double before = ProcessStatus.cpuSeconds(child.pid()).orElse(Double.NaN);
      TimeUnit.SECONDS.sleep(seconds);
      double after = ProcessStatus.cpuSeconds(child.pid()).orElse(Double.NaN);
      return 100 * (after - before) / seconds;
    }
  }

  private void publish(Map<String, Object> results) throws IOException {
    if (json) {
      System.out.println(new ObjectMapper().writeValueAsString(results));
    } else {
      results.forEach((name, value) -> System.out.printf("%-21s%s%n", name, rounded(value)));
    }
  }

  private static String rounded(Object value) {
    return value instanceof Double number
        ? String.format("%.1f", number)
        : value instanceof List<?> numbers
            ? String.join(" ", numbers.stream().map(LatencyCommand::rounded).toList())
            : String.valueOf(value);
  }
}
