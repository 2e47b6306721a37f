package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A controller on the heap that is shipped, in a process of its own, which ends if memory does. */
final class SmallHeap implements AutoCloseable {
  private final HttpClient client = HttpClient.newHttpClient();
  private final Path log;
  private final int openFlowPort;
  private final int httpPort;
  private final Process process;

  /** Starts it, and waits until it answers. directory: for its log and data. */
  SmallHeap(Path directory, String... options) throws Exception {
    log = directory.resolve("log");
    openFlowPort = freePort();
    httpPort = freePort();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx600m", "-XX:+ExitOnOutOfMemoryError"));
    command.addAll(List.of(options));
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "--openflow-port",
            Integer.toString(openFlowPort),
            "--http-port",
            Integer.toString(httpPort),
            "--data",
            directory.resolve("data").toString()));
    process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      await("/wm/core/health/json");
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  int openFlowPort() {
    return openFlowPort;
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + httpPort + path);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** What it has logged. */
  String said() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Waits until a GET of the path succeeds. */
  void await(String path) throws Exception {
    long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    HttpRequest request = HttpRequest.newBuilder(uri(path)).build();
    while (true) {
      assertTrue(isAlive() && System.nanoTime() < giveUp, this::said);
      try {
        if (client.send(request, BodyHandlers.discarding()).statusCode() == 200) {
          return;
        }
      } catch (IOException e) {
        // not listening yet
      }
      Thread.sleep(100);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
