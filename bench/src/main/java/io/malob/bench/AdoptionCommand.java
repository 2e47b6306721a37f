package io.malob.bench;

import io.malob.bench.Experiment.Outcome;
import io.malob.bench.load.Demand;
import io.malob.bench.load.Extent;
import io.malob.bench.load.Network;
import io.malob.bench.load.Scenario;
import io.malob.bench.process.ProcessStatus;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Kills the controller and measures the time until the new one counts the open connections again,
 * and the delay of new ones. Two sites: the first has the open connections, at the second new ones
 * are placed meanwhile.
 */
@Command(
    name = AdoptionCommand.NAME,
    description = {
      "after kill -9: the time and memory to adopt open connections from the switches' rules,",
      "and the latency of new connections meanwhile"
    },
    mixinStandardHelpOptions = true)
final class AdoptionCommand implements Callable<Integer> {
  static final String NAME = "adoption";

  private static final int WITH_OPEN = 0;
  private static final int WITH_NEW = 1;
  private static final int MEMBERS = 10;
  private static final int CLIENTS = 16;
  private static final int OUTSTANDING = 64;
  private static final int MAX_CONNECTIONS = 500_000;
  private static final int MAX_SECONDS = 3_600;
  private static final long RULE_LIFE_MILLIS = TimeUnit.HOURS.toMillis(2);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final double MAX_ADOPTION_SECONDS = 5;
  private static final double MAX_DELAY_MILLIS = 50;

  @Mixin private ControllerOptions controllerOptions = new ControllerOptions();
  @Mixin private ProcessOptions processOptions = new ProcessOptions();

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Connections that are open when the controller is killed (${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = "--rate",
      paramLabel = "R",
      defaultValue = "1000",
      description = "New connections per second at the other site meanwhile (${DEFAULT-VALUE}).")
  private int rate;

  @Option(
      names = "--path-length",
      paramLabel = "N",
      defaultValue = "2",
      description = "Switches of each site (${DEFAULT-VALUE}).")
  private int pathLength;

  @Option(
      names = "--warmup",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description =
          "How long the new controller places new connections before the switches with open"
              + " connections connect (${DEFAULT-VALUE}).")
  private int warmup;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long new connections are measured before and after (${DEFAULT-VALUE}).")
  private int seconds;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Scenario scenario = checked();
    if (!controllerOptions.isBuilt()) {
      return Main.MISSING;
    }
    Figures figures = new Figures();
    try (Workspace workspace = Workspace.open(processOptions.output.out);
        ControllerProcess controller = controllerOptions.start(processOptions.jvm(), workspace);
        Network network = new Network(scenario, RULE_LIFE_MILLIS, true, false)) {
      controller.awaitReady();
      controller.connect(scenario, network);
      fill(figures, controller, network);
      restart(figures, controller, network);
      adopt(figures, controller, network);
    }
    return figures.publish(
        NAME,
        Map.of("network", scenario, "connections", connections, "rate", rate),
        processOptions);
  }

  private Scenario checked() {
    LoadOptions.check("--connections", connections, MAX_CONNECTIONS);
    LoadOptions.check("--rate", rate, 100_000);
    LoadOptions.check("--warmup", warmup, MAX_SECONDS);
    LoadOptions.check("--seconds", seconds, MAX_SECONDS);
    return NetworkOptions.scenario(2, pathLength, MEMBERS, CLIENTS, 0);
  }

  private void fill(Figures figures, ControllerProcess controller, Network network)
      throws IOException, InterruptedException {
    network.setOpen(WITH_NEW, false);
    Outcome outcome =
        new Experiment(PacketInCommand.TARGET, network, controller.pid())
            .run(new Demand.Outstanding(OUTSTANDING), new Extent(0, MAX_SECONDS, connections));
    Report.explain(outcome);
    figures.addExactly("unplaced", "failed before the kill", outcome.measurement().failed(), 0);
    MemoryState.of(controller).addTo(figures, "before", "before the kill");
    figures.addCount("rules", "rules of the switches to be read", network.ruleCount(WITH_OPEN));
    network.setOpen(WITH_OPEN, false);
    network.setOpen(WITH_NEW, true);
  }

  private static void restart(Figures figures, ControllerProcess controller, Network network)
      throws IOException, InterruptedException {
    System.err.println("killing the controller, and starting it again");
    network.expectLoss(true);
    controller.killAndStartAgain();
    figures.add("start", "start of the successor", controller.awaitReady().healthy(), "s");
    network.expectLoss(false);
    network.connect(controller.openFlow(), WITH_NEW);
    awaitMembers(controller, network, WITH_NEW);
    TimeUnit.SECONDS.sleep(2);
  }

  private static void awaitMembers(ControllerProcess controller, Network network, int site)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (controller.client().locatedMembers(site) < MEMBERS) {
      if (System.nanoTime() - end > 0) {
        throw new IOException("the controller does not locate the members again");
      }
      network.announceHosts();
      TimeUnit.MILLISECONDS.sleep(200);
    }
    network.announceHosts();
  }

  private void adopt(Figures figures, ControllerProcess controller, Network network)
      throws IOException, InterruptedException {
    Experiment experiment = new Experiment(PacketInCommand.TARGET, network, controller.pid());
    Outcome calm = experiment.run(new Demand.Rate(rate), Extent.ofSeconds(warmup, seconds));
    addLatency(figures, "calm", "before adoption", calm);
    ExecutorService loader = Executors.newSingleThreadExecutor();
    try {
      Future<Outcome> load =
          loader.submit(
              () -> experiment.run(new Demand.Rate(rate), Extent.ofSeconds(0, 2 * seconds)));
      TimeUnit.SECONDS.sleep(1);
      double cpu = ProcessStatus.cpuSeconds(controller.pid()).orElse(Double.NaN);
      long start = System.nanoTime();
      network.connect(controller.openFlow(), WITH_OPEN);
      double adopted = awaitAdoption(controller, network, start);
      figures.addBelow("adoption", "connecting to all adopted", adopted, "s", MAX_ADOPTION_SECONDS);
      figures.add(
          "adoption_cpu",
          "  processor time, with new connections",
          ProcessStatus.cpuSeconds(controller.pid()).orElse(Double.NaN) - cpu,
          "s");
      figures.add(
          "rss_adopted",
          "  RSS at its end",
          ProcessStatus.residentMegabytes(controller.pid()).orElse(Double.NaN),
          "MB");
      Outcome meanwhile = result(load);
      Report.explain(meanwhile);
      addLatency(figures, "meanwhile", "during and after adoption", meanwhile);
      figures.addBelow(
          "delay",
          "  slowest new connection meanwhile",
          meanwhile.measurement().latencyMillis(100),
          "ms",
          MAX_DELAY_MILLIS);
      figures.add(
          "generator_pause",
          "  longest pause of the load generator itself",
          meanwhile.measurement().maxPauseNanos() / 1e6,
          "ms");
      figures.addExactly("failed", "  failed", meanwhile.measurement().failed(), 0);
      figures.addExactly("adopted", "adopted", adopted(controller), connections);
      MemoryState.of(controller).addTo(figures, "after", "adopted");
    } finally {
      loader.shutdownNow();
    }
  }

  private double awaitAdoption(ControllerProcess controller, Network network, long start)
      throws IOException, InterruptedException {
    long announced = start;
    while (adopted(controller) < connections) {
      long now = System.nanoTime();
      if (now - start > PATIENCE_NANOS) {
        throw new IOException("only " + adopted(controller) + " connections were adopted");
      }
      if (now - announced > TimeUnit.MILLISECONDS.toNanos(500)) {
        announced = now;
        network.announceHosts();
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
    return (System.nanoTime() - start) / 1e9;
  }

  private static long adopted(ControllerProcess controller)
      throws IOException, InterruptedException {
    return controller.client().adopted();
  }

  private static Outcome result(Future<Outcome> load) throws IOException, InterruptedException {
    try {
      return load.get();
    } catch (ExecutionException e) {
      throw new IOException("the load failed", e.getCause());
    }
  }

  private static void addLatency(Figures figures, String key, String moment, Outcome outcome) {
    figures.add(
        key + "_p50",
        "new connections, " + moment + ", p50",
        outcome.measurement().latencyMillis(50),
        "ms");
    figures.add(key + "_p99", "  p99", outcome.measurement().latencyMillis(99), "ms");
    figures.add(key + "_max", "  max", outcome.measurement().latencyMillis(100), "ms");
  }
}
