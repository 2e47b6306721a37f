package io.malob.bench;

import io.malob.bench.Experiment.Outcome;
import io.malob.bench.load.AddressFamily;
import io.malob.bench.load.Demand;
import io.malob.bench.load.Network;
import io.malob.bench.load.Scenario;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the effect of a flood of reports on new connections. */
@Command(
    name = ReportsCommand.NAME,
    description = {
      "new connections per second, without and with a flood of forged and malformed agent",
      "reports at the clients' switch, as if it had no meter"
    },
    mixinStandardHelpOptions = true)
final class ReportsCommand implements Callable<Integer> {
  static final String NAME = "reports";

  /** The controller checks for changed files every 2 s. */
  private static final long AGENTS_SECONDS = 5;

  @Mixin private NetworkOptions networkOptions = new NetworkOptions();
  @Mixin private LoadOptions options = new LoadOptions();
  @Mixin private ControllerOptions controllerOptions = new ControllerOptions();
  @Mixin private ProcessOptions processOptions = new ProcessOptions();

  @Option(
      names = "--flood",
      paramLabel = "R",
      defaultValue = "100000",
      description = "Reports per second (${DEFAULT-VALUE}).")
  private int flood;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Scenario scenario = checked();
    if (!controllerOptions.isBuilt()) {
      return Main.MISSING;
    }
    try (Workspace workspace = Workspace.open(processOptions.output.out)) {
      List<Outcome> outcomes = measure(scenario, workspace);
      return new Report(NAME, scenario, options, processOptions, outcomes).publish();
    }
  }

  private Scenario checked() {
    LoadOptions.check("--flood", flood, 10_000_000);
    int unused = options.demands().size();
    Scenario scenario = networkOptions.scenario();
    if (scenario.family() != AddressFamily.IPV4) {
      throw new WrongUseException("reports are sent over IPv4; they exclude --ipv6");
    }
    return scenario;
  }

  private List<Outcome> measure(Scenario scenario, Workspace workspace)
      throws IOException, InterruptedException {
    try (ControllerProcess started =
            controllerOptions.start(processOptions.jvm(PacketInCommand.USUAL_HEAP), workspace);
        Network network = new Network(scenario, options.ruleLifeMillis)) {
      started.awaitReady();
      started.addAgent("flooded", Network.FLOODED_AGENT);
      started.connect(scenario, network);
      TimeUnit.SECONDS.sleep(AGENTS_SECONDS);
      List<Outcome> outcomes = new ArrayList<>();
      for (Demand demand : options.demands()) {
        outcomes.add(new Experiment("calm", network, started.pid()).run(demand, options.extent()));
        network.flood(flood);
        outcomes.add(new Experiment("flood", network, started.pid()).run(demand, options.extent()));
        System.err.printf("%d reports were sent%n", network.flood(0));
      }
      System.err.println("dropped: " + started.client().droppedReports());
      return outcomes;
    }
  }
}
