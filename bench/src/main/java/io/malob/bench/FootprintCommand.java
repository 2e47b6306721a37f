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
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the start time and the memory of the controller. */
@Command(
    name = FootprintCommand.NAME,
    description = "the time to start, and the memory: idle, and with many open connections",
    mixinStandardHelpOptions = true)
final class FootprintCommand implements Callable<Integer> {
  static final String NAME = "footprint";

  private static final int CLIENTS = 16;
  private static final int OUTSTANDING = 64;
  private static final int MAX_CONNECTIONS = 500_000;
  private static final int MAX_SECONDS = 3_600;
  private static final long RULE_LIFE_MILLIS = TimeUnit.HOURS.toMillis(2);
  private static final double MAX_START_SECONDS = 3;
  private static final double MAX_IDLE_MEGABYTES = 250;
  private static final double MAX_HEAP_MEGABYTES = 400;

  @Mixin private ControllerOptions controllerOptions = new ControllerOptions();
  @Mixin private ProcessOptions processOptions = new ProcessOptions();

  @Option(
      names = "--idle",
      paramLabel = "SECONDS",
      defaultValue = "20",
      description =
          "How long the controller idles before its memory is measured (${DEFAULT-VALUE}).")
  private int idleSeconds;

  @Option(
      names = "--switches",
      paramLabel = "N",
      defaultValue = "100",
      description = "Switches, in a line with clients and members at its ends (${DEFAULT-VALUE}).")
  private int switches;

  @Option(
      names = "--members",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Members of the VIP (${DEFAULT-VALUE}).")
  private int members;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Connections that are held open (${DEFAULT-VALUE}).")
  private int connections;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Scenario scenario = checked();
    if (!controllerOptions.isBuilt()) {
      return Main.MISSING;
    }
    Figures figures = new Figures();
    try (Workspace workspace = Workspace.open(processOptions.output.out);
        ControllerProcess controller = controllerOptions.start(processOptions.jvm(), workspace);
        Network network = new Network(scenario, RULE_LIFE_MILLIS)) {
      measureStart(figures, controller);
      measureLoaded(figures, scenario, controller, network);
    }
    return figures.publish(
        NAME, Map.of("network", scenario, "connections", connections), processOptions);
  }

  private Scenario checked() {
    LoadOptions.check("--connections", connections, MAX_CONNECTIONS);
    LoadOptions.check("--idle", idleSeconds, MAX_SECONDS);
    LoadOptions.check("--switches", switches, Scenario.MAX_PATH_LENGTH);
    return NetworkOptions.scenario(1, switches, members, CLIENTS, 0);
  }

  private void measureStart(Figures figures, ControllerProcess controller)
      throws IOException, InterruptedException {
    ControllerProcess.Startup startup = controller.awaitReady();
    figures.addBelow(
        "listening", "start to both ports listening", startup.listening(), "s", MAX_START_SECONDS);
    figures.addBelow(
        "healthy", "start to healthy by REST", startup.healthy(), "s", MAX_START_SECONDS);
    figures.add("start_cpu", "  processor time for it", startup.cpu(), "s");
    ProgressBar.sleep(idleSeconds, "idling");
    double idle = ProcessStatus.residentMegabytes(controller.pid()).orElse(Double.NaN);
    figures.addBelow("rss_idle", "RSS, idle", idle, "MB", MAX_IDLE_MEGABYTES);
  }

  private void measureLoaded(
      Figures figures, Scenario scenario, ControllerProcess controller, Network network)
      throws IOException, InterruptedException {
    controller.connect(scenario, network);
    MemoryState.of(controller).addTo(figures, "connected", "network connected");
    Outcome outcome =
        new Experiment(PacketInCommand.TARGET, network, controller.pid())
            .run(new Demand.Outstanding(OUTSTANDING), new Extent(0, MAX_SECONDS, connections));
    Report.explain(outcome);
    MemoryState loaded = MemoryState.of(controller);
    loaded.addTo(figures, "loaded", "connections open", MAX_HEAP_MEGABYTES);
    figures.addExactly("failed", "failed", outcome.measurement().failed(), 0);
    figures.addExactly("open", "connections open", loaded.open(), connections);
  }
}
