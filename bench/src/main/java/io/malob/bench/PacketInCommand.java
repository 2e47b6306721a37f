package io.malob.bench;

import io.malob.bench.Experiment.Outcome;
import io.malob.bench.load.Network;
import io.malob.bench.load.Scenario;
import io.malob.bench.process.BalancerClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures how fast the controller places new connections. */
@Command(
    name = PacketInCommand.NAME,
    description = {
      "new connections per second that the controller places, and how long each takes,",
      "from its first packet to its last message"
    },
    mixinStandardHelpOptions = true)
final class PacketInCommand implements Callable<Integer> {
  static final String NAME = "packet-in";

  static final String TARGET = "controller";

  private static final int MAX_CONTROLLERS = 15;
  private static final int ETCD_SERVERS = 3;
  private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(6);
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** The heap of the measured process unless another was asked for: that of its jvm.options. */
  static final String USUAL_HEAP = "600m";

  @Mixin private NetworkOptions networkOptions = new NetworkOptions();
  @Mixin private LoadOptions options = new LoadOptions();
  @Mixin private ControllerOptions controllerOptions = new ControllerOptions();
  @Mixin private ProcessOptions processOptions = new ProcessOptions();

  @Option(
      names = "--controller",
      paramLabel = "HOST:PORT",
      description = "Use a running controller; requires --rest.")
  private @Nullable String controller;

  @Option(
      names = "--rest",
      paramLabel = "HOST:PORT",
      description = "Address of that controller's REST interface.")
  private @Nullable String rest;

  @Option(
      names = "--cluster",
      paramLabel = "N",
      split = ",",
      description =
          "Start so many controllers of a cluster, which share the switches (needs etcd); may be"
              + " repeated.")
  private List<Integer> clusters = new ArrayList<>();

  @Option(names = "--with-codec", description = "Also measure the ceiling, and compare.")
  private boolean withCodec;

  @Override
  public Integer call() throws Exception {
    Scenario scenario = checked();
    if ((controller == null && !controllerOptions.isBuilt())
        || (!clusters.isEmpty() && !Cluster.isInstalled())) {
      return Main.MISSING;
    }
    try (Workspace workspace = Workspace.open(processOptions.output.out)) {
      List<Outcome> outcomes = new ArrayList<>(measure(scenario, workspace));
      if (withCodec) {
        outcomes.addAll(
            CodecCommand.measure(scenario, options, processOptions, workspace.directory()));
      }
      return new Report(NAME, scenario, options, processOptions, outcomes).publish();
    }
  }

  private Scenario checked() {
    if ((controller == null) != (rest == null)) {
      throw new WrongUseException("--controller and --rest must be given together");
    }
    if (controller != null && !clusters.isEmpty()) {
      throw new WrongUseException("--cluster starts controllers; it excludes --controller");
    }
    clusters.forEach(size -> LoadOptions.check("--cluster", size, MAX_CONTROLLERS));
    int unused = options.demands().size();
    return networkOptions.scenario();
  }

  private List<Outcome> measure(Scenario scenario, Workspace workspace) throws Exception {
    if (!clusters.isEmpty()) {
      List<Outcome> outcomes = new ArrayList<>();
      for (int size : clusters) {
        outcomes.addAll(measure(scenario, workspace, size));
      }
      return outcomes;
    }
    if (controller != null && rest != null) {
      try (Network network = new Network(scenario, options.ruleLifeMillis)) {
        ControllerProcess.connect(scenario, network, address(controller), new BalancerClient(rest));
        return new Experiment(TARGET, network).run(options);
      }
    }
    try (ControllerProcess started =
            controllerOptions.start(processOptions.jvm(USUAL_HEAP), workspace);
        Network network = new Network(scenario, options.ruleLifeMillis)) {
      started.awaitReady();
      started.connect(scenario, network);
      return new Experiment(TARGET, network, started.pid()).run(options);
    }
  }

  /** Measures a cluster in which the controllers share the switches. */
  private List<Outcome> measure(Scenario scenario, Workspace workspace, int size) throws Exception {
    List<ControllerProcess> controllers = new ArrayList<>();
    try (Cluster cluster = Cluster.start(workspace, ETCD_SERVERS);
        Network network = new Network(scenario, options.ruleLifeMillis, false, true)) {
      for (int number = 0; number < size; number++) {
        String name = Character.toString('a' + number);
        ControllerProcess started =
            controllerOptions.start(
                processOptions.jvm(USUAL_HEAP), workspace, name, cluster.arguments(name));
        controllers.add(started);
        started.awaitReady();
      }
      // without a master yet, no switch has to be moved
      controllers.get(0).client().spread();
      ControllerProcess.connect(scenario, network, controllers);
      awaitMasters(network, controllers);
      long[] pids = controllers.stream().mapToLong(ControllerProcess::pid).toArray();
      return new Experiment("cluster " + size, network, pids).run(options);
    } finally {
      for (ControllerProcess each : controllers) {
        each.close();
      }
    }
  }

  /** Returns when no switch has had another master for longer than the pause between two moves. */
  private static void awaitMasters(Network network, List<ControllerProcess> controllers)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    long changed = begin;
    List<Integer> mastered = List.of();
    while (System.nanoTime() - changed < SETTLED_NANOS) {
      if (System.nanoTime() - begin > PATIENCE_NANOS) {
        throw new IOException("masters still change: " + mastered);
      }
      TimeUnit.MILLISECONDS.sleep(100);
      List<Integer> now =
          controllers.stream().map(each -> network.mastered(each.openFlow())).toList();
      if (!now.equals(mastered)) {
        mastered = now;
        changed = System.nanoTime();
      }
    }
    System.err.println("switches of each controller: " + mastered);
  }

  private static InetSocketAddress address(String hostAndPort) {
    int colon = hostAndPort.lastIndexOf(':');
    if (colon < 1) {
      throw new WrongUseException("HOST:PORT, not '" + hostAndPort + "'");
    }
    return new InetSocketAddress(
        hostAndPort.substring(0, colon), Integer.parseInt(hostAndPort.substring(colon + 1)));
  }
}
