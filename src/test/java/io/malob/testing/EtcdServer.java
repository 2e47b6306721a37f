package io.malob.testing;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A server of etcd on free ports of loopback; it ends with the test. bench/ uses it, too. */
public final class EtcdServer implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final long START_SECONDS = 30;

  private final List<String> command;
  private final Path log;
  private final URI endpoint;
  private Process process;

  private EtcdServer(List<String> command, Path log, URI endpoint) {
    this.command = command;
    this.log = log;
    this.endpoint = endpoint;
  }

  /** Skips the test if there is no etcd. */
  public static void assumeInstalled() {
    Assumptions.assumeTrue(
        isInstalled(), "etcd is not on the PATH; './malob prepare cluster' installs it");
  }

  /** Whether there is an etcd on the PATH. */
  public static boolean isInstalled() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "etcd")));
  }

  /** Starts one, which serves when this returns. */
  public static EtcdServer start(Path directory, String... options) throws Exception {
    return start(directory, 1, options).get(0);
  }

  /** Starts the servers of one etcd; it serves when this returns. */
  public static List<EtcdServer> start(Path directory, int count, String... options)
      throws Exception {
    boolean isTls = Stream.of(options).anyMatch(option -> option.startsWith("--cert-file="));
    List<String> peers = new ArrayList<>();
    List<String> clients = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      peers.add("http://127.0.0.1:" + freePort());
      clients.add((isTls ? "https" : "http") + "://127.0.0.1:" + freePort());
    }
    String all =
        Stream.iterate(0, i -> i < count, i -> i + 1)
            .map(i -> "e" + i + "=" + peers.get(i))
            .collect(Collectors.joining(","));
    List<EtcdServer> servers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<String> command =
          new ArrayList<>(
              List.of(
                  "etcd",
                  "--name=e" + i,
                  "--data-dir=" + directory.resolve("e" + i),
                  "--listen-client-urls=" + clients.get(i),
                  "--advertise-client-urls=" + clients.get(i),
                  "--listen-peer-urls=" + peers.get(i),
                  "--initial-advertise-peer-urls=" + peers.get(i),
                  "--initial-cluster=" + all,
                  "--heartbeat-interval=50",
                  "--election-timeout=500",
                  "--logger=zap",
                  "--log-outputs=stderr"));
      command.addAll(List.of(options));
      servers.add(
          new EtcdServer(command, directory.resolve("e" + i + ".log"), URI.create(clients.get(i))));
    }
    for (EtcdServer server : servers) {
      server.launch();
    }
    if (!isTls) {
      for (EtcdServer server : servers) {
        server.awaitHealth();
      }
    }
    return servers;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void launch() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().keySet().removeIf(name -> name.startsWith("ETCD_"));
    process = builder.start();
  }

  /** Returns when it has a leader. */
  public void awaitHealth() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(endpoint.resolve("/health")).timeout(Duration.ofSeconds(5)).build();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (System.nanoTime() < deadline) {
      try {
        if (HTTP.send(request, BodyHandlers.ofString()).body().contains("\"true\"")) {
          return;
        }
      } catch (IOException e) {
        // it is starting
      }
      if (!process.isAlive()) {
        break;
      }
      Thread.sleep(20);
    }
    throw new AssertionError("etcd does not serve: " + Files.readString(log));
  }

  /** Where clients connect to. */
  public URI endpoint() {
    return endpoint;
  }

  /** Sends a request of its JSON interface. */
  public String post(String path, String body) throws Exception {
    return HTTP.send(
            HttpRequest.newBuilder(endpoint.resolve(path))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            BodyHandlers.ofString())
        .body();
  }

  /** Stops it from doing anything, as a machine that hangs. */
  public void freeze() throws Exception {
    signal("STOP");
  }

  /** Lets it go on. */
  public void thaw() throws Exception {
    signal("CONT");
  }

  private void signal(String name) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start();
    if (kill.waitFor() != 0) {
      throw new AssertionError("kill -" + name);
    }
  }

  /** Ends it at once. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Starts it again, with its data. */
  public void restart() throws IOException {
    launch();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
