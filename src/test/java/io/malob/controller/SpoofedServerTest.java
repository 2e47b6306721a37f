package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.malob.controller.module.ModuleSettings;
import io.malob.testing.Frames;
import io.malob.testing.ScriptedSwitch;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/** All modules over real TCP; a server at port 2 of a switch, and somebody else at port 3. */
class SpoofedServerTest {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final IPv4Address SERVER = IPv4Address.of("10.0.0.2");
  private static final MacAddress MAC = MacAddress.of("02:00:00:00:00:02");
  private static final MacAddress THIEF = MacAddress.of("02:00:00:00:00:66");
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final HttpClient http = HttpClient.newHttpClient();
  private EmbeddedController controller;
  private ScriptedSwitch sw;

  @BeforeEach
  void start() throws Exception {
    try (Reader settings =
        new InputStreamReader(
            SpoofedServerTest.class.getResourceAsStream("/floodlightdefault.properties"),
            StandardCharsets.UTF_8)) {
      controller =
          EmbeddedController.start(
              ModuleSettings.read(settings).overlaidWith(EmbeddedControllerTest.FREE_PORTS));
    }
    post("vips", "{'id':'web','protocol':'tcp','address':'10.0.0.100','port':80}");
    post("pools", "{'id':'servers','vip_id':'web'}");
    post("members", "{'id':'a','address':'10.0.0.2','port':8080,'pool_id':'servers'}");
    sw = new ScriptedSwitch(1, 3).connect(controller.openFlowPort());
    // the balancer learns later than the list of hosts; until then, it protects nothing
    await("the server at port 2", () -> says(2, MAC) && portOf(MAC) == 2 && isLocated());
  }

  @AfterEach
  void stop() {
    sw.close();
    controller.close();
  }

  @Test
  void claim_whileTheServerAnswers_changesNothing_andIsCounted() throws Exception {
    await("a refused claim", () -> says(3, THIEF) && says(2, MAC) && refused("spoofed") > 0);
    assertEquals(2, portOf(MAC));
    assertEquals(0, portOf(THIEF));
  }

  @Test
  void serverThatMoves_isFoundOnceItsOldPlaceIsSilent() throws Exception {
    await("the server at port 3", () -> says(3, MAC) && portOf(MAC) == 3);
    assertEquals(0, refused("spoofed"));
  }

  /** Somebody at a port says that the server's address is his. */
  private boolean says(int port, MacAddress mac) {
    sw.packetIn(port, Frames.arpRequest(mac, SERVER, VIP));
    return true;
  }

  /** The port at which the controller has seen a host; 0 for none. */
  private int portOf(MacAddress mac) throws Exception {
    for (JsonNode device : get("/wm/device/").path("devices")) {
      if (device.path("mac").path(0).asText().equals(mac.toString())) {
        return device.path("attachmentPoint").path(0).path("port").asInt();
      }
    }
    return 0;
  }

  private boolean isLocated() throws Exception {
    return get("/quantum/v1.0/pools/servers/stats/")
        .path("members")
        .path(0)
        .path("located")
        .asBoolean();
  }

  private long refused(String reason) throws Exception {
    return get("/wm/malob/refusals").path(reason).asLong(-1);
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(String what, Condition condition) throws Exception {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.holds()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("expected " + what);
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private JsonNode get(String path) throws Exception {
    return new ObjectMapper()
        .readTree(http.send(request(path).GET().build(), BodyHandlers.ofString()).body());
  }

  private void post(String collection, String json) throws Exception {
    HttpRequest request =
        request("/quantum/v1.0/" + collection + "/")
            .POST(BodyPublishers.ofString(json.replace('\'', '"')))
            .build();
    assertEquals(201, http.send(request, BodyHandlers.ofString()).statusCode());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + controller.httpPort() + path));
  }
}
