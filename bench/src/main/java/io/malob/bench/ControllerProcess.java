package io.malob.bench;

import io.malob.bench.load.Network;
import io.malob.bench.load.Scenario;
import io.malob.bench.process.BalancerClient;
import io.malob.bench.process.ChildProcess;
import io.malob.bench.process.FreePort;
import io.malob.bench.process.ProcessStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A controller that was started for a benchmark: on free ports, with a catalog of its own. */
final class ControllerProcess implements AutoCloseable {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final long POLL_MILLIS = 5;

  private final List<String> arguments;
  private final Path log;
  private ChildProcess child;
  private long startNanos;
  private final Path data;
  private final InetSocketAddress openFlow;
  private final InetSocketAddress http;
  private final BalancerClient client;

  private ControllerProcess(
      List<String> arguments,
      Path log,
      Path data,
      int openFlowPort,
      int httpPort,
      BalancerClient client)
      throws IOException {
    this.arguments = arguments;
    this.log = log;
    this.startNanos = System.nanoTime();
    this.child = ChildProcess.start(arguments, log);
    this.data = data;
    this.openFlow = new InetSocketAddress(InetAddress.getLoopbackAddress(), openFlowPort);
    this.http = new InetSocketAddress(InetAddress.getLoopbackAddress(), httpPort);
    this.client = client;
  }

  /**
   * Starts it; it is not ready yet.
   *
   * @param jar the controller
   * @param jvmOptions what comes before {@code -jar}
   * @param name of its log
   * @param more arguments besides ports and data
   */
  static ControllerProcess start(
      Path jar, List<String> jvmOptions, Workspace workspace, String name, List<String> more)
      throws IOException, InterruptedException {
    int openFlowPort = FreePort.find();
    int httpPort = FreePort.find();
    Path data = workspace.data();
    List<String> arguments = new ArrayList<>(jvmOptions);
    arguments.addAll(List.of("-jar", jar.toAbsolutePath().toString()));
    arguments.addAll(List.of("--openflow-port", Integer.toString(openFlowPort)));
    arguments.addAll(List.of("--http-port", Integer.toString(httpPort)));
    arguments.addAll(List.of("--bind", "127.0.0.1", "--data", data.toString()));
    arguments.addAll(more);
    BalancerClient client = new BalancerClient("127.0.0.1:" + httpPort);
    boolean unused = client.isHealthy(); // a first request takes this process a while
    Path log = workspace.directory().resolve(name + ".log");
    return new ControllerProcess(arguments, log, data, openFlowPort, httpPort, client);
  }

  /** Kills it with SIGKILL and starts it again, on the same ports and with the same data. */
  void killAndStartAgain() throws IOException, InterruptedException {
    child.kill();
    startNanos = System.nanoTime();
    child = ChildProcess.start(arguments, log.resolveSibling("again-" + log.getFileName()));
  }

  /** Ends it at once, with SIGKILL. */
  void kill() throws InterruptedException {
    child.kill();
  }

  /** The OpenFlow port. */
  InetSocketAddress openFlow() {
    return openFlow;
  }

  /**
   * The start times, in seconds from the start of its process.
   *
   * @param listening until both of its ports accepted connections
   * @param healthy until its REST interface reported that all of it runs
   * @param cpu the processor time that it had used by then; NaN if not known
   */
  record Startup(double listening, double healthy, double cpu) {}

  /** Waits until it is ready. */
  Startup awaitReady() throws IOException, InterruptedException {
    CodecCommand.awaitListening(child, openFlow);
    CodecCommand.awaitListening(child, http);
    double listening = (System.nanoTime() - startNanos) / 1e9;
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!client.isHealthy()) {
      child.checkAlive();
      if (System.nanoTime() - end > 0) {
        throw new IOException("the controller's REST interface does not answer");
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    double healthy = (System.nanoTime() - startNanos) / 1e9;
    return new Startup(
        listening, healthy, ProcessStatus.cpuSeconds(child.pid()).orElse(Double.NaN));
  }

  /** A count from the REST interface. */
  interface Count {
    int now() throws IOException, InterruptedException;
  }

  /**
   * Waits until a count is reached.
   *
   * @throws IOException if that takes too long, or if the controller has ended
   */
  void await(String what, Count count, int wanted) throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    int now;
    while ((now = orNone(count)) < wanted) {
      child.checkAlive();
      if (System.nanoTime() - end > 0) {
        throw new IOException("the controller has only " + now + " of " + wanted + " " + what);
      }
      TimeUnit.MILLISECONDS.sleep(10 * POLL_MILLIS);
    }
  }

  /** A controller that is busy may not answer in time. */
  private static int orNone(Count count) throws InterruptedException {
    try {
      return count.now();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Its processor time while idle, over the given seconds, in percent of one processor. */
  double restingCpuPercent(int seconds, String what) throws InterruptedException {
    double before = ProcessStatus.cpuSeconds(pid()).orElse(Double.NaN);
    ProgressBar.sleep(seconds, what);
    double after = ProcessStatus.cpuSeconds(pid()).orElse(Double.NaN);
    return 100 * (after - before) / seconds;
  }

  /** Connects a network's switches and waits until the controller knows the network. */
  void connect(Scenario scenario, Network network) throws IOException, InterruptedException {
    connect(scenario, network, openFlow, client);
  }

  /** The same for a controller that was not started here. */
  static void connect(
      Scenario scenario, Network network, InetSocketAddress address, BalancerClient client)
      throws IOException, InterruptedException {
    connect(scenario, network, List.of(address), List.of(client));
  }

  /** The same for the controllers of a cluster. */
  static void connect(Scenario scenario, Network network, List<ControllerProcess> controllers)
      throws IOException, InterruptedException {
    connect(
        scenario,
        network,
        controllers.stream().map(ControllerProcess::openFlow).toList(),
        controllers.stream().map(ControllerProcess::client).toList());
  }

  private static void connect(
      Scenario scenario,
      Network network,
      List<InetSocketAddress> addresses,
      List<BalancerClient> clients)
      throws IOException, InterruptedException {
    System.err.println("configuring the controller");
    clients.get(0).configure(scenario);
    network.connect(addresses.toArray(InetSocketAddress[]::new));
    long end = System.nanoTime() + PATIENCE_NANOS;
    for (BalancerClient client : clients) {
      awaitNetwork(scenario, network, client, end);
    }
    network.announceHosts();
    TimeUnit.SECONDS.sleep(2);
  }

  private static void awaitNetwork(
      Scenario scenario, Network network, BalancerClient client, long end)
      throws IOException, InterruptedException {
    int members = scenario.sites() * scenario.members();
    int links = 2 * scenario.sites() * (scenario.pathLength() - 1);
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
  }

  /** Lets a server's agent report; the controller knows it some seconds later. */
  void addAgent(String id, String address) throws IOException {
    Files.writeString(
        data.resolve("agents.json"),
        String.format(
            "{\"agents\":[{\"id\":\"%s\",\"kind\":\"server\",\"address\":\"%s\",\"key\":\"%s\"}]}",
            id, address, "00".repeat(32)));
  }

  BalancerClient client() {
    return client;
  }

  /** The OpenFlow port. */
  int openFlowPort() {
    return openFlow.getPort();
  }

  /** The port of its REST interface. */
  InetSocketAddress http() {
    return http;
  }

  long pid() {
    return child.pid();
  }

  @Override
  public void close() throws IOException {
    child.close();
    Workspace.delete(data);
  }
}
