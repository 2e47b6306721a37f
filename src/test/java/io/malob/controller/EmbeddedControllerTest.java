package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.malob.controller.guard.Refusal;
import io.malob.controller.module.ModuleSettings;
import io.malob.testing.LogLines;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.SwitchRecorder;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole controller over real TCP and HTTP. */
class EmbeddedControllerTest {
  static final Map<String, String> FREE_PORTS =
      Map.of(
          "io.malob.controller.core.CoreModule.openFlowPort", "0",
          "io.malob.controller.rest.RestModule.httpPort", "0");

  private final HttpClient client = HttpClient.newHttpClient();
  private EmbeddedController controller;
  private SwitchRecorder recorder;

  @BeforeEach
  void start() throws Exception {
    controller = EmbeddedController.start(ModuleSettings.parse("").overlaidWith(FREE_PORTS));
    recorder = new SwitchRecorder();
    controller.context().getServiceImpl(IOFSwitchService.class).addOFSwitchListener(recorder);
  }

  @AfterEach
  void stop() {
    controller.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/wm/core/health/json", "/wm/core/health/json/"})
  void health_controllerRuns_isHealthyWithAndWithoutSlash(String path) throws Exception {
    HttpResponse<String> response = get(path);
    assertEquals(200, response.statusCode());
    assertEquals("{\"healthy\":true}", response.body());
    assertTrue(
        response.headers().firstValue("Content-Type").orElse("").startsWith("application/json"));
  }

  @Test
  void start_saysWhereThePageIs() throws Exception {
    try (LogLines log = LogLines.of(EmbeddedController.class);
        EmbeddedController another =
            EmbeddedController.start(ModuleSettings.parse("").overlaidWith(FREE_PORTS))) {
      assertEquals(
          List.of(
              "controller_ready page=\"http://127.0.0.1:%d/\" openflow_port=%d - switches can connect"
                  .formatted(another.httpPort(), another.openFlowPort())),
          log.lines());
    }
  }

  @Test
  void switches_oneConnected_isListedWithFloodlightsFields() throws Exception {
    assertEquals("[]", get("/wm/core/controller/switches/json").body());
    try (ScriptedSwitch sw = new ScriptedSwitch(0xab, 2).connect(controller.openFlowPort())) {
      recorder.await("activated " + sw.id());
      JsonNode list = new ObjectMapper().readTree(get("/wm/core/controller/switches/json").body());
      assertEquals(1, list.size());
      assertEquals("00:00:00:00:00:00:00:ab", list.get(0).get("switchDPID").asText());
      assertEquals("OF_13", list.get(0).get("openFlowVersion").asText());
      assertTrue(list.get(0).get("inetAddress").asText().startsWith("/127.0.0.1:"));
      assertTrue(list.get(0).get("connectedSince").asLong() > 1_000_000_000_000L);
    }
  }

  @Test
  void modules_allAndLoaded_sayWhatTheyProvideAndNeed() throws Exception {
    JsonNode loaded = new ObjectMapper().readTree(get("/wm/core/module/loaded/json").body());
    JsonNode all = new ObjectMapper().readTree(get("/wm/core/module/all/json/").body());
    String core = "io.malob.controller.core.CoreModule";
    String rest = "io.malob.controller.rest.RestModule";
    String switchService = "net.floodlightcontroller.core.internal.IOFSwitchService";
    assertEquals(3, loaded.size()); // with the stores, which RestModule needs
    assertEquals(core, loaded.get(core).get("name").asText());
    assertEquals(core, loaded.get(core).get("provides").get(switchService).asText());
    assertEquals(core, loaded.get(rest).get("depends").get(switchService).asText());
    assertEquals(loaded.get(rest), all.get(rest));
    JsonNode balancer = all.get("io.malob.balancer.BalancerModule");
    assertEquals(false, balancer.get("loaded").asBoolean());
    assertEquals(404, get("/wm/core/module/some/json").statusCode());
  }

  @Test
  void refusedInput_atTheStart_isZeroForEachReason() throws Exception {
    JsonNode refused = new ObjectMapper().readTree(get("/wm/core/refused/json").body());
    assertEquals(Refusal.values().length, refused.size());
    for (Refusal refusal : Refusal.values()) {
      assertEquals(0, refused.get(refusal.label()).asLong(-1), refusal.label());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/nothing/here", "/wm/core/nothing", "/wm/core/health/jsonx"})
  void unknownPath_is404WithJsonBody(String path) throws Exception {
    HttpResponse<String> response = get(path);
    assertEquals(404, response.statusCode());
    assertEquals(
        "{\"error\":\"There is nothing at " + path + "\",\"field\":null}", response.body());
  }

  @Test
  void wrongMethod_is405WithJsonBody() throws Exception {
    HttpRequest post =
        HttpRequest.newBuilder(uri("/wm/core/health/json"))
            .POST(BodyPublishers.ofString("{}"))
            .build();
    HttpResponse<String> response = client.send(post, BodyHandlers.ofString());
    assertEquals(405, response.statusCode());
    assertEquals(
        "{\"error\":\"/wm/core/health/json does not allow POST\",\"field\":null}", response.body());
  }

  @Test
  void start_openFlowPortTaken_saysWhich() throws Exception {
    int taken = controller.openFlowPort();
    assertStartFails(
        "io.malob.controller.core.CoreModule.openFlowPort",
        taken,
        "Cannot listen for OpenFlow on 127.0.0.1 port " + taken + ": Address already in use");
  }

  @Test
  void start_httpPortTaken_saysWhich() throws Exception {
    int taken = controller.httpPort();
    assertStartFails(
        "io.malob.controller.rest.RestModule.httpPort",
        taken,
        "Cannot serve HTTP on 127.0.0.1 port " + taken + ": Address already in use");
  }

  private static void assertStartFails(String key, int port, String message) throws Exception {
    ModuleSettings settings =
        ModuleSettings.parse("")
            .overlaidWith(FREE_PORTS)
            .overlaidWith(Map.of(key, Integer.toString(port)));
    UncheckedIOException failure =
        assertThrows(UncheckedIOException.class, () -> EmbeddedController.start(settings));
    assertEquals(message, failure.getMessage());
  }

  private HttpResponse<String> get(String path) throws Exception {
    return client.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + controller.httpPort() + path);
  }
}
