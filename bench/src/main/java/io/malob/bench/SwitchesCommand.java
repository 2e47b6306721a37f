package io.malob.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.malob.bench.process.BalancerClient;
import io.malob.bench.process.ChildProcess;
import io.malob.bench.process.FreePort;
import io.malob.bench.process.ProcessStatus;
import io.malob.bench.ring.SwitchRing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what many connected switches cost. */
@Command(
    name = "switches",
    description = {
      "how long it takes until many switches are active and all links between them are known,",
      "and what they cost at rest"
    },
    mixinStandardHelpOptions = true)
final class SwitchesCommand implements Callable<Integer> {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final Pattern HEAP_USED = Pattern.compile("used (\\d+)K");

  @Option(
      names = "--switches",
      paramLabel = "N",
      defaultValue = "1000",
      description = "How many, in a ring (${DEFAULT-VALUE}).")
  private int switches = 1_000;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "20",
      description = "How long they are watched at rest (${DEFAULT-VALUE}).")
  private int seconds = 20;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "512m",
      description = "The controller's heap (${DEFAULT-VALUE}).")
  private String heap = "512m";

  @Option(
      names = "--controller-jar",
      paramLabel = "PATH",
      defaultValue = "target/malob.jar",
      description = "The controller to start (${DEFAULT-VALUE}).")
  private Path controllerJar = Path.of("target/malob.jar");

  @Option(
      names = "-cf",
      paramLabel = "FILE",
      description = "The controller's properties, in place of its defaults.")
  private @Nullable Path properties;

  @Option(names = "--json", description = "Results as JSON.")
  private boolean json;

  @Option(names = "--out", paramLabel = "DIR", description = "Keep the controller's log there.")
  private @Nullable Path out;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!CodecCommand.exists(controllerJar)) {
      return Main.MISSING;
    }
    try (Workspace workspace = Workspace.open(out)) {
      Path data = workspace.data();
      try {
        publish(measure(workspace.directory().resolve("controller.log"), data));
      } finally {
        Workspace.delete(data);
      }
    }
    return Main.DONE;
  }

  private Map<String, Object> measure(Path log, Path data)
      throws IOException, InterruptedException {
    int openFlowPort = FreePort.find();
    int httpPort = FreePort.find();
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-Xmx" + heap,
                "-jar",
                controllerJar.toAbsolutePath().toString(),
                "--openflow-port",
                Integer.toString(openFlowPort),
                "--http-port",
                Integer.toString(httpPort),
                "--data",
                data.toString()));
    if (properties != null) {
      arguments.addAll(List.of("-cf", properties.toAbsolutePath().toString()));
    }
    Map<String, Object> results = new LinkedHashMap<>();
    results.put("switches", switches);
    try (ChildProcess child = ChildProcess.start(arguments, log);
        SwitchRing ring = new SwitchRing(switches)) {
      BalancerClient client = new BalancerClient("127.0.0.1:" + httpPort);
      await(child, "REST", () -> client.isHealthy() ? 1 : 0, 1);
      long start = System.nanoTime();
      ring.connect(openFlowPort);
      await(child, "switches", client::switches, switches);
      results.put("active_s", secondsSince(start));
      await(child, "links", client::links, 2 * switches);
      results.put("all_links_s", secondsSince(start));
      results.put("until_then_cpu_s", ProcessStatus.cpuSeconds(child.pid()).orElse(Double.NaN));
      TimeUnit.SECONDS.sleep(5);
      double before = ProcessStatus.cpuSeconds(child.pid()).orElse(Double.NaN);
      ProgressBar.sleep(seconds, "at rest");
      double after = ProcessStatus.cpuSeconds(child.pid()).orElse(Double.NaN);
      results.put("rest_cpu_percent", 100 * (after - before) / seconds);
      results.put("resident_mb", ProcessStatus.residentMegabytes(child.pid()).orElse(Double.NaN));
      results.put("live_heap_mb", liveHeapMegabytes(child.pid()));
    }
    return results;
  }

  /** A number that the REST interface has to give. */
  interface Counting {
    int count() throws IOException, InterruptedException;
  }

  private static int count(Counting counting) {
    try {
      return counting.count();
    } catch (IOException e) {
      return 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }

  /** Waits until there are so many; fails if that takes too long or the controller ends. */
  static void await(ChildProcess child, String what, Counting has, int wanted)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    int now;
    while ((now = count(has)) < wanted) {
      child.checkAlive();
      if (System.nanoTime() - end > 0) {
        throw new IOException("the controller has only " + now + " of " + wanted + " " + what);
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private static double secondsSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  /** What the heap holds after a full collection, as the JDK's jcmd says; NaN without a JDK. */
  private static double liveHeapMegabytes(long pid) throws InterruptedException {
    String unused = jcmd(pid, "GC.run");
    Matcher used = HEAP_USED.matcher(jcmd(pid, "GC.heap_info"));
    return used.find() ? Long.parseLong(used.group(1)) / 1024.0 : Double.NaN;
  }

  private static String jcmd(long pid, String command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                  Long.toString(pid),
                  command)
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return said;
    } catch (IOException e) {
      return "";
    }
  }

  private void publish(Map<String, Object> results) throws IOException {
    if (json) {
      System.out.println(new ObjectMapper().writeValueAsString(results));
    } else {
      results.forEach(
          (name, value) ->
              System.out.printf(
                  "%-18s%s%n",
                  name, value instanceof Double number ? String.format("%.2f", number) : value));
    }
  }
}
