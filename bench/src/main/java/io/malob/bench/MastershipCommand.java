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

/**
 * Kills the master of many switches, and measures the time until another controller is master of
 * all of them and has read and verified all their rules. etcd and the controllers are real
 * processes, the switches are emulated.
 */
@Command(
    name = MastershipCommand.NAME,
    description = {
      "after kill -9 of the master of many switches: the time until another controller of the",
      "cluster is master of all of them, and has verified their rules"
    },
    mixinStandardHelpOptions = true)
final class MastershipCommand implements Callable<Integer> {
  static final String NAME = "mastership";

  private static final String FIRST = "first";
  private static final String SECOND = "second";
  private static final int MEMBERS = 3;
  private static final int CLIENTS = 16;
  private static final int OUTSTANDING = 64;
  private static final int MAX_CONNECTIONS = 500_000;
  private static final int MAX_ETCD_SERVERS = 5;
  private static final int MAX_SECONDS = 3_600;
  private static final long RULE_LIFE_MILLIS = TimeUnit.HOURS.toMillis(2);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final double MAX_SECONDS_TO_VERIFIED = 5;

  @Mixin private ControllerOptions controllerOptions = new ControllerOptions();
  @Mixin private ProcessOptions processOptions = new ProcessOptions();

  @Option(
      names = "--sites",
      paramLabel = "N",
      defaultValue = "50",
      description = "Sites, each with clients, members and a VIP of its own (${DEFAULT-VALUE}).")
  private int sites;

  @Option(
      names = "--path-length",
      paramLabel = "N",
      defaultValue = "20",
      description = "Switches of each site (${DEFAULT-VALUE}).")
  private int pathLength;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "50000",
      description = "Connections that are open when the master is killed (${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = "--etcd-servers",
      paramLabel = "N",
      defaultValue = "3",
      description = "Servers of etcd (${DEFAULT-VALUE}).")
  private int etcdServers;

  @Option(
      names = "--settle",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "How long all controllers rest before the master is killed (${DEFAULT-VALUE}).")
  private int settleSeconds;

  @Override
  public Integer call() throws Exception {
    Scenario scenario = checked();
    if (!controllerOptions.isBuilt()) {
      return Main.MISSING;
    }
    if (!Cluster.isInstalled()) {
      return Main.MISSING;
    }
    Figures figures = new Figures();
    try (Workspace workspace = Workspace.open(processOptions.output.out);
        Cluster cluster = Cluster.start(workspace, etcdServers)) {
      measure(figures, scenario, workspace, cluster);
    }
    return figures.publish(
        NAME, Map.of("network", scenario, "etcd_servers", etcdServers), processOptions);
  }

  private Scenario checked() {
    LoadOptions.check("--connections", connections, MAX_CONNECTIONS);
    LoadOptions.check("--etcd-servers", etcdServers, MAX_ETCD_SERVERS);
    LoadOptions.check("--settle", settleSeconds, MAX_SECONDS);
    return NetworkOptions.scenario(sites, pathLength, MEMBERS, CLIENTS, 0);
  }

  private void measure(Figures figures, Scenario scenario, Workspace workspace, Cluster cluster)
      throws IOException, InterruptedException {
    try (Network network = new Network(scenario, RULE_LIFE_MILLIS, true, true);
        ControllerProcess first = start(workspace, FIRST, cluster)) {
      first.awaitReady();
      try (ControllerProcess second = start(workspace, SECOND, cluster)) {
        second.awaitReady();
        prepare(figures, scenario, network, first, second);
        takeOver(figures, scenario, network, first, second);
      }
    }
  }

  private ControllerProcess start(Workspace workspace, String name, Cluster cluster)
      throws IOException, InterruptedException {
    return controllerOptions.start(processOptions.jvm(), workspace, name, cluster.arguments(name));
  }

  private void prepare(
      Figures figures,
      Scenario scenario,
      Network network,
      ControllerProcess first,
      ControllerProcess second)
      throws IOException, InterruptedException {
    first.connect(scenario, network);
    network.connect(second.openFlow());
    second.await(
        "switches of the standby", () -> second.client().switchesOf(SECOND), scenario.switches());
    second.await("links of the standby", second.client()::links, first.client().links());
    network.announceHosts();
    Outcome outcome =
        new Experiment(PacketInCommand.TARGET, network, first.pid())
            .run(new Demand.Outstanding(OUTSTANDING), new Extent(0, MAX_SECONDS, connections));
    Report.explain(outcome);
    figures.addExactly("unplaced", "failed before the kill", outcome.measurement().failed(), 0);
    ProgressBar.sleep(settleSeconds, "resting");
    int rules = 0;
    for (int site = 0; site < scenario.sites(); site++) {
      rules += network.ruleCount(site);
    }
    figures.addCount("switches", "switches", scenario.switches());
    figures.addCount("connections", "open connections", connections);
    figures.addCount("rules", "rules of the switches to be verified", rules);
    figures.addExactly(
        "mastered_before",
        "switches of the first controller",
        network.mastered(first.openFlow()),
        scenario.switches());
  }

  private void takeOver(
      Figures figures,
      Scenario scenario,
      Network network,
      ControllerProcess first,
      ControllerProcess second)
      throws IOException, InterruptedException {
    int readBefore = second.client().tablesRead();
    double cpu = ProcessStatus.cpuSeconds(second.pid()).orElse(Double.NaN);
    System.err.println("killing the master");
    network.expectLoss(true);
    long start = System.nanoTime();
    first.kill();
    await("masters", scenario, () -> network.mastered(second.openFlow()), 1, start);
    figures.add("first_mastered", "kill to the first switch mastered", since(start), "s");
    int all = scenario.switches();
    await("masters", scenario, () -> network.mastered(second.openFlow()), all, start);
    figures.add("mastered", "kill to all switches mastered", since(start), "s");
    await("tables read", scenario, () -> second.client().tablesRead() - readBefore, all, start);
    figures.addBelow(
        "verified", "kill to all rules verified", since(start), "s", MAX_SECONDS_TO_VERIFIED);
    figures.add(
        "cpu",
        "  processor time of the second controller",
        ProcessStatus.cpuSeconds(second.pid()).orElse(Double.NaN) - cpu,
        "s");
    figures.add(
        "rss", "  its RSS", ProcessStatus.residentMegabytes(second.pid()).orElse(Double.NaN), "MB");
    network.expectLoss(false);
    network.announceHosts();
    second.await(
        "open connections",
        () -> second.client().counters().path("open_connections").asInt(),
        connections);
    figures.add("known", "kill to all connections known", since(start), "s");
  }

  /** Counts without a pause that would show in the figure. */
  private static void await(
      String what, Scenario scenario, ControllerProcess.Count count, int wanted, long start)
      throws IOException, InterruptedException {
    int now;
    while ((now = count.now()) < wanted) {
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new IOException("only " + now + " of " + scenario.switches() + " " + what);
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  private static double since(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e9;
  }
}
