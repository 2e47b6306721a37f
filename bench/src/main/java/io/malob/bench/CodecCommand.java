package io.malob.bench;

import io.malob.bench.Experiment.Outcome;
import io.malob.bench.load.Network;
import io.malob.bench.load.Scenario;
import io.malob.bench.process.ChildProcess;
import io.malob.bench.process.FreePort;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Measures the responder that only decodes and encodes. */
@Command(
    name = CodecCommand.NAME,
    description = {
      "the same load on a responder that only decodes, builds and encodes",
      "with openflowj: the ceiling to compare packet-in with"
    },
    mixinStandardHelpOptions = true)
final class CodecCommand implements Callable<Integer> {
  static final String NAME = "codec";

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  @Mixin private NetworkOptions networkOptions = new NetworkOptions();
  @Mixin private LoadOptions options = new LoadOptions();
  @Mixin private ProcessOptions processOptions = new ProcessOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Scenario scenario = networkOptions.scenario();
    try (Workspace workspace = Workspace.open(processOptions.output.out)) {
      List<Outcome> outcomes = measure(scenario, options, processOptions, workspace.directory());
      return new Report(NAME, scenario, options, processOptions, outcomes).publish();
    }
  }

  /** Starts the responder, measures and ends it. */
  static List<Outcome> measure(
      Scenario scenario, LoadOptions options, ProcessOptions processOptions, Path directory)
      throws IOException, InterruptedException {
    int port = FreePort.find();
    List<String> arguments = new ArrayList<>(processOptions.jvm(PacketInCommand.USUAL_HEAP));
    arguments.addAll(
        List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), "responder"));
    arguments.add("--port=" + port);
    arguments.addAll(NetworkOptions.arguments(scenario));
    Path log = directory.resolve("codec.log");
    Files.createDirectories(directory);
    try (ChildProcess responder = ChildProcess.start(arguments, log);
        Network network = new Network(scenario, options.ruleLifeMillis)) {
      InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      awaitListening(responder, address);
      network.connect(address);
      TimeUnit.MILLISECONDS.sleep(500);
      return new Experiment(NAME, network, responder.pid()).run(options);
    }
  }

  static void awaitListening(ChildProcess child, InetSocketAddress address)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!isListening(address)) {
      child.checkAlive();
      if (System.nanoTime() - end > 0) {
        throw new IOException("nothing listens on " + address);
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  private static boolean isListening(InetSocketAddress address) {
    try (Socket socket = new Socket()) {
      socket.connect(address, 1_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether a file exists; prints an error if not. */
  static boolean exists(Path file) {
    boolean there = new File(file.toString()).isFile();
    if (!there) {
      System.err.println("there is no " + file + "; build it first: mvn -DskipTests package");
    }
    return there;
  }
}
