package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.ScriptedSwitch;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.projectfloodlight.openflow.protocol.OFMessage;

/** The controller as a process of its own, with all its modules, ended by a signal. */
@Tag("real-time")
class ControllerProcessTest {
  private static final String VIPS = "/quantum/v1.0/vips/";
  private static final int SECONDS_TO_START = 60;

  private final HttpClient client = HttpClient.newHttpClient();

  @TempDir private Path directory;
  private int openFlowPort;
  private int httpPort;
  private Process process;

  @AfterEach
  void end() throws Exception {
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
  }

  private void start() throws Exception {
    launch();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_START);
    while (!isHealthy()) {
      assertTrue(process.isAlive() && System.nanoTime() < deadline, () -> "not up:\n" + said());
      Thread.sleep(100);
    }
  }

  private void launch() throws Exception {
    openFlowPort = freePort();
    httpPort = freePort();
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "--openflow-port",
                Integer.toString(openFlowPort),
                "--http-port",
                Integer.toString(httpPort),
                "--data",
                directory.resolve("data").toString())
            .redirectErrorStream(true)
            .redirectOutput(log().toFile())
            .start();
  }

  private Path log() {
    return directory.resolve("log");
  }

  private String said() {
    try {
      return Files.readString(log());
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private boolean isHealthy() throws InterruptedException {
    try {
      return get("/wm/core/health/json").statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + httpPort + path);
  }

  @Test
  void withoutCluster_noClassOfEtcdsClientIsLoaded() throws Exception {
    start();
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(process.pid()),
                "VM.class_hierarchy")
            .redirectErrorStream(true)
            .start();
    String loaded = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(loaded.contains("io.malob.module.StoreModule"), loaded);
    assertFalse(loaded.contains("io.malob.cluster.etcd.HttpEtcd"), loaded);
    assertFalse(loaded.contains("java.net.http."), loaded);
  }

  @Test
  void sigterm_withSwitchesOneOfWhichDoesNotRead_endsWithZeroAndTheCatalogIsKept()
      throws Exception {
    start();
    String vip =
        """
        {"id":"keep","protocol":"tcp","address":"10.0.0.100","port":80}\
        """;
    HttpRequest post = HttpRequest.newBuilder(uri(VIPS)).POST(BodyPublishers.ofString(vip)).build();
    assertEquals(201, client.send(post, BodyHandlers.ofString()).statusCode());
    String before = get(VIPS).body();
    try (ScriptedSwitch good = new ScriptedSwitch(1, 2).connect(openFlowPort);
        ScriptedSwitch slow = new ScriptedSwitch(2, 2).connect(openFlowPort)) {
      good.awaitHandshake();
      slow.awaitHandshake();
      slow.reading(false);
      OFMessage question = slow.factory().echoRequest(new byte[60_000]);
      for (int sent = 0; sent < 300; sent++) {
        slow.send(question); // the answers fill the buffers of both ends, and wait
      }
      process.destroy();
      assertTrue(process.waitFor(10, TimeUnit.SECONDS), () -> "still there:\n" + said());
      good.awaitClosed();
    }
    assertEquals(0, process.exitValue(), this::said);
    assertTrue(said().contains("stopping why=\"a signal\""), this::said);
    List<String> failures =
        said().lines().filter(line -> line.contains(" ERROR ") || line.contains("\tat ")).toList();
    assertEquals(List.of(), failures);

    start();
    assertEquals(before, get(VIPS).body());
  }

  /** With an empty catalog it would take away the rules of all VIPs. */
  @Test
  void catalogThatIsDamaged_endsTheStartWithOne_beforeAnySwitchIsLetIn() throws Exception {
    Path data = Files.createDirectories(directory.resolve("data"));
    String good =
        "{\"version\":3,\"last_vip_number\":0,\"last_member_number\":0,\n\"vips\":[],"
            + "\"pools\":[],\"members\":[],\"services\":[],\"health_monitors\":[]}";
    Files.writeString(data.resolve("catalog.json"), good.replace("\"pools\"", "\"po?ls\""));
    Files.writeString(data.resolve("catalog.json.last-good"), good);
    launch();
    while (process.isAlive()) {
      assertThrows(
          IOException.class,
          () -> new Socket(InetAddress.getLoopbackAddress(), openFlowPort).close(),
          this::said);
      Thread.sleep(10);
    }
    assertEquals(1, process.waitFor(), this::said);
    List<String> errors = said().lines().filter(line -> line.contains(" ERROR ")).toList();
    assertEquals(1, errors.size(), this::said);
    Path file = data.resolve("catalog.json");
    assertTrue(
        errors.get(0).contains(file + " is damaged: line 2, column 11: po?ls is not known"),
        this::said);
    assertTrue(
        errors.get(0).contains("\"cp -p " + file + ".last-good " + file + "\" restores it"),
        this::said);
  }

  @Test
  void root_isThePageOfBrowsersAndTheVersionsOfOpenStacksClients() throws Exception {
    start();
    assertEquals(302, rootFor("text/html,application/json;q=0.9,*/*;q=0.8").statusCode());
    assertEquals(302, rootFor("*/*").statusCode());
    HttpResponse<String> versions = rootFor("application/json");
    assertEquals(200, versions.statusCode());
    assertEquals(get("/v2.0").body(), versions.body());
    assertTrue(versions.body().contains("\"href\":\"" + uri("/v2.0") + "\""), versions.body());
  }

  private HttpResponse<String> rootFor(String accepted) throws Exception {
    return client.send(
        HttpRequest.newBuilder(uri("/")).header("Accept", accepted).build(),
        BodyHandlers.ofString());
  }

  @Test
  void pages_thatFollow_leaveRoomForOthersAndEndWithTheController() throws Exception {
    start();
    HttpResponse<String> root = get("/");
    assertEquals(302, root.statusCode());
    assertTrue(root.headers().firstValue("Location").orElse("").endsWith("/ui/"), "" + root);
    assertEquals(404, get("/nothing").statusCode());
    List<InputStream> streams = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      HttpRequest request = HttpRequest.newBuilder(uri("/wm/malob/events")).build();
      HttpResponse<InputStream> stream = client.send(request, BodyHandlers.ofInputStream());
      assertEquals(200, stream.statusCode());
      streams.add(stream.body());
    }
    for (InputStream stream : streams) {
      awaitLine(stream, "event: state");
    }
    assertEquals(503, get("/wm/malob/events").statusCode());
    assertEquals(200, get(VIPS).statusCode());
    process.destroy();
    assertTrue(process.waitFor(10, TimeUnit.SECONDS), () -> "still there:\n" + said());
    assertEquals(0, process.exitValue(), this::said);
    for (InputStream stream : streams) {
      readToTheEnd(stream);
    }
  }

  /** Reads until a line comes; fails if the end comes first. */
  private static void awaitLine(InputStream stream, String line) throws IOException {
    StringBuilder read = new StringBuilder();
    while (read.indexOf(line + "\n") < 0) {
      int next = stream.read();
      assertTrue(next >= 0, () -> "ended after:\n" + read);
      read.append((char) next);
    }
  }

  /** Whether it ends in order or with the process, which may be faster than its last words. */
  private static void readToTheEnd(InputStream stream) {
    try {
      stream.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // ended
    }
  }
}
