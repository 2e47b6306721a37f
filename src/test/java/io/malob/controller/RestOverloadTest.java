package io.malob.controller;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.malob.controller.module.ModuleSettings;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.SwitchRecorder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;

/** Requests that take memory or threads of the REST interface. */
@Tag("real-time")
class RestOverloadTest {
  private static final String CORE = "io.malob.controller.core.CoreModule.";
  private static final String REST = "io.malob.controller.rest.RestModule.";

  @TempDir private Path data;

  private EmbeddedController start(Map<String, String> settings) throws Exception {
    return EmbeddedController.start(
        ModuleSettings.parse("")
            .overlaidWith(EmbeddedControllerTest.FREE_PORTS)
            .overlaidWith(Map.of("*.data", data.toString()))
            .overlaidWith(settings));
  }

  /** The status of a request with this body length and no body, without waiting for a time-out. */
  private static String status(EmbeddedController controller, String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), controller.httpPort())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      return new String(socket.getInputStream().readNBytes(12), US_ASCII);
    }
  }

  private static String put(String path, long length, String header) {
    return "PUT "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
        + length
        + "\r\n"
        + header
        + "\r\n\r\n";
  }

  @ParameterizedTest
  @CsvSource({
    "/wm/malob/config, 16000000, Origin: http://other.example, 403",
    "/wm/malob/config, 16000000, Sec-Fetch-Site: cross-site, 403",
    "/wm/malob/config, 16777217, X: y, 413",
    "/quantum/v1.0/vips/v, 65537, X: y, 413",
    "/v2.0/lbaas/loadbalancers/x, 65537, X: y, 413",
    "/wm/nothing, 65537, X: y, 413"
  })
  void bodyThatIsOfNoUse_isNotWaitedFor(String path, long length, String header, int status)
      throws Exception {
    try (EmbeddedController controller = start(Map.of(REST + "requestSeconds", "3600"))) {
      assertEquals("HTTP/1.1 " + status, status(controller, put(path, length, header)));
    }
  }

  @Test
  void bodyWithoutAToken_isNotWaitedFor() throws Exception {
    Path tokens = data.resolve("tokens.json");
    Files.createFile(
        tokens, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(
        tokens,
        "{\"tokens\":[{\"name\":\"ops\",\"role\":\"admin\",\"sha256\":\""
            + "0".repeat(64)
            + "\"}]}");
    try (EmbeddedController controller = start(Map.of(REST + "requestSeconds", "3600"))) {
      for (String header : List.of("X: y", "Authorization: Bearer malob_wrong")) {
        assertEquals("HTTP/1.1 401", status(controller, put("/wm/malob/config", 1_000, header)));
      }
    }
  }

  @Test
  void switchThatDoesNotAnswer_delaysNoOtherRequest() throws Exception {
    Map<String, String> settings =
        Map.of(CORE + "requestTimeoutMillis", "30000", REST + "maxThreads", "1");
    try (EmbeddedController controller = start(settings);
        ScriptedSwitch sw = new ScriptedSwitch(1, 2)) {
      SwitchRecorder recorder = new SwitchRecorder();
      controller.context().getServiceImpl(IOFSwitchService.class).addOFSwitchListener(recorder);
      sw.answer(request -> request instanceof OFFlowStatsRequest ? List.of() : null);
      sw.connect(controller.openFlowPort());
      recorder.await("activated " + sw.id());
      HttpClient client = HttpClient.newHttpClient();
      List<CompletableFuture<HttpResponse<String>>> statistics = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        statistics.add(
            client.sendAsync(
                get(controller, "/wm/core/switch/1/flow/json"), BodyHandlers.ofString()));
      }
      for (String path : List.of("/wm/core/health/json", "/wm/core/controller/switches/json")) {
        HttpRequest request = get(controller, path);
        assertEquals(200, client.send(request, BodyHandlers.ofString()).statusCode(), path);
      }
      assertFalse(statistics.stream().anyMatch(CompletableFuture::isDone), "the switch is silent");
    }
  }

  private static HttpRequest get(EmbeddedController controller, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + controller.httpPort() + path))
        .build();
  }
}
