package io.malob.bench;

import io.malob.bench.Experiment.Outcome;
import io.malob.bench.load.Network;
import io.malob.bench.load.Scenario;
import io.malob.bench.process.BalancerClient;
import io.malob.bench.process.ChildProcess;
import io.malob.bench.process.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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

  private static final String TARGET = "controller";
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  @Spec private @Nullable CommandSpec spec;
  @Mixin private NetworkOptions networkOptions = new NetworkOptions();
  @Mixin private LoadOptions options = new LoadOptions();

  @Option(
      names = "--controller-jar",
      paramLabel = "PATH",
      defaultValue = "target/malob.jar",
      description = "The controller to start (${DEFAULT-VALUE}).")
  private Path controllerJar = Path.of("target/malob.jar");

  @Option(
      names = "--controller",
      paramLabel = "HOST:PORT",
      description = "Use a controller that runs already; needs --rest, too.")
  private @Nullable String controller;

  @Option(
      names = "--rest",
      paramLabel = "HOST:PORT",
      description = "Where that controller's REST interface is.")
  private @Nullable String rest;

  @Option(names = "--with-codec", description = "Measure the ceiling, too, and compare.")
  private boolean withCodec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Scenario scenario = checked();
    if (controller == null && !CodecCommand.exists(controllerJar)) {
      return Main.MISSING;
    }
    try (Workspace workspace = Workspace.open(options.out)) {
      List<Outcome> outcomes = new ArrayList<>(measure(scenario, workspace));
      if (withCodec) {
        outcomes.addAll(CodecCommand.measure(scenario, options, workspace.directory()));
      }
      return new Report(NAME, scenario, options, outcomes).publish();
    }
  }

  private Scenario checked() {
    if (spec == null) {
      throw new IllegalStateException("not called by picocli");
    }
    if ((controller == null) != (rest == null)) {
      throw new ParameterException(spec.commandLine(), "--controller and --rest go together");
    }
    try {
      int unused = options.demands().size();
      return networkOptions.scenario();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private List<Outcome> measure(Scenario scenario, Workspace workspace)
      throws IOException, InterruptedException {
    if (controller != null && rest != null) {
      try (Network network = new Network(scenario, options.ruleLifeMillis)) {
        prepare(scenario, network, address(controller), new BalancerClient(rest));
        return Experiment.withUnknownProcess(TARGET, network).run(options);
      }
    }
    int openFlowPort = FreePort.find();
    int httpPort = FreePort.find();
    Path data = workspace.data();
    List<String> arguments = new ArrayList<>(options.jvm());
    arguments.addAll(List.of("-jar", controllerJar.toAbsolutePath().toString()));
    arguments.addAll(List.of("--openflow-port", Integer.toString(openFlowPort)));
    arguments.addAll(List.of("--http-port", Integer.toString(httpPort)));
    arguments.addAll(List.of("--bind", "127.0.0.1", "--data", data.toString()));
    Path log = workspace.directory().resolve("controller.log");
    try (ChildProcess child = ChildProcess.start(arguments, log);
        Network network = new Network(scenario, options.ruleLifeMillis)) {
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), openFlowPort);
      BalancerClient client = new BalancerClient("127.0.0.1:" + httpPort);
      CodecCommand.awaitListening(child, address);
      awaitHealth(client, child);
      prepare(scenario, network, address, client);
      return new Experiment(TARGET, network, child.pid()).run(options);
    } finally {
      Workspace.delete(data);
    }
  }

  private static void awaitHealth(BalancerClient client, ChildProcess child)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!client.isHealthy()) {
      child.checkAlive();
      if (System.nanoTime() - end > 0) {
        throw new IOException("the controller's REST interface does not answer");
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** Connects the switches and waits until the controller knows all that it needs to know. */
  private static void prepare(
      Scenario scenario, Network network, InetSocketAddress address, BalancerClient client)
      throws IOException, InterruptedException {
    System.err.println("configuring the controller");
    client.configure(scenario);
    network.connect(address);
    int members = scenario.sites() * scenario.members();
    int links = 2 * scenario.sites() * (scenario.pathLength() - 1);
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (client.switches() < scenario.switches()
        || client.links() < links
        || client.locatedMembers(scenario) < members) {
      if (System.nanoTime() - end > 0) {
        throw new IOException(
            String.format(
                "the controller has %d of %d switches, %d of %d links, %d of %d members",
                client.switches(),
                scenario.switches(),
                client.links(),
                links,
                client.locatedMembers(scenario),
                members));
      }
      TimeUnit.MILLISECONDS.sleep(500);
      network.announceHosts();
    }
    network.announceHosts();
    TimeUnit.SECONDS.sleep(2);
  }

  private static InetSocketAddress address(String hostAndPort) {
    int colon = hostAndPort.lastIndexOf(':');
    if (colon < 1) {
      throw new IllegalArgumentException("HOST:PORT, not '" + hostAndPort + "'");
    }
    return new InetSocketAddress(
        hostAndPort.substring(0, colon), Integer.parseInt(hostAndPort.substring(colon + 1)));
  }
}
