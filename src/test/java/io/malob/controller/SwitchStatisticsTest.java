package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.malob.controller.module.ModuleSettings;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.SwitchRecorder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortStatsRequest;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/** Statistics of switches over HTTP, from scripted switches over real TCP. */
class SwitchStatisticsTest {
  private static final String ID = "00:00:00:00:00:00:00:01";

  private final HttpClient client = HttpClient.newHttpClient();
  private EmbeddedController controller;
  private ScriptedSwitch sw;

  @BeforeEach
  void start() throws Exception {
    controller =
        EmbeddedController.start(
            ModuleSettings.parse("")
                .overlaidWith(EmbeddedControllerTest.FREE_PORTS)
                .overlaidWith(
                    Map.of("io.malob.controller.core.CoreModule.requestTimeoutMillis", "500")));
    SwitchRecorder recorder = new SwitchRecorder();
    controller.context().getServiceImpl(IOFSwitchService.class).addOFSwitchListener(recorder);
    sw = new ScriptedSwitch(1, 2).answer(SwitchStatisticsTest::answer);
    sw.connect(controller.openFlowPort());
    recorder.await("activated " + sw.id());
  }

  @AfterEach
  void stop() {
    sw.close();
    controller.close();
  }

  @Test
  void port_isShownWithFloodlightsNames() throws Exception {
    JsonNode port = json(200, get(ID + "/port")).get("port").get(0);
    assertEquals("2", port.get("port_number").asText());
    assertEquals("5", port.get("receive_packets").asText());
    assertEquals("18446744073709551615", port.get("transmit_bytes").asText());
  }

  @Test
  void flow_showsMatchAndInstructions() throws Exception {
    JsonNode flow = json(200, get(ID + "/flow")).get("flows").get(0);
    assertEquals("OF_13", flow.get("version").asText());
    assertEquals("7", flow.get("packet_count").asText());
    assertEquals("1", flow.get("match").get("in_port").asText());
  }

  @ParameterizedTest
  @CsvSource({
    "desc, desc, manufacturer_description, malob",
    "port-desc, port_desc, port_number, 1"
  })
  void answersOfTheHandshake_areAskedAnew(String stat, String name, String field, String value)
      throws Exception {
    JsonNode answer = json(200, get(ID + "/" + stat));
    assertEquals(value, answer.get(name).get(0).get(field).asText());
  }

  @Test
  void all_isByDatapathId() throws Exception {
    JsonNode answer = json(200, get("all/port"));
    assertEquals("2", answer.get(ID).get("port").get(0).get("port_number").asText());
  }

  @ParameterizedTest
  @CsvSource({
    "00:00:00:00:00:00:00:02/port, 404, switch",
    "nonsense/port, 404, switch",
    "00:00:00:00:00:00:00:01/colour, 400, stat",
    "all/colour, 400, stat",
    "00:00:00:00:00:00:00:01/queue, 504, null"
  })
  void whatCannotBeAnswered_isASentence(String path, int status, String field) throws Exception {
    JsonNode answer = json(status, get(path));
    assertTrue(answer.get("error").asText().length() > 10);
    assertEquals(field, answer.get("field").asText());
  }

  @Test
  void all_switchDoesNotAnswer_saysSoInItsPlace() throws Exception {
    JsonNode answer = json(200, get("all/queue"));
    assertTrue(answer.get(ID).get("error").asText().contains("did not answer"));
  }

  private static List<OFMessage> answer(OFMessage request) {
    OFFactory factory = ScriptedSwitch.FACTORY;
    if (request instanceof OFPortStatsRequest) {
      return List.of(
          factory
              .buildPortStatsReply()
              .setXid(request.getXid())
              .setEntries(
                  List.of(
                      factory
                          .buildPortStatsEntry()
                          .setPortNo(OFPort.of(2))
                          .setRxPackets(U64.of(5))
                          .setTxBytes(U64.of(-1))
                          .build()))
              .build());
    } else if (request instanceof OFFlowStatsRequest) {
      return List.of(
          factory
              .buildFlowStatsReply()
              .setXid(request.getXid())
              .setEntries(
                  List.of(
                      factory
                          .buildFlowStatsEntry()
                          .setTableId(TableId.of(1))
                          .setPacketCount(U64.of(7))
                          .setMatch(
                              factory
                                  .buildMatch()
                                  .setExact(MatchField.IN_PORT, OFPort.of(1))
                                  .build())
                          .build()))
              .build());
    }
    return null;
  }

  private static JsonNode json(int status, HttpResponse<String> response) throws Exception {
    assertEquals(status, response.statusCode(), response.body());
    return new ObjectMapper().readTree(response.body());
  }

  private HttpResponse<String> get(String path) throws Exception {
    String rest = path.endsWith("/") ? path + "json" : path + "/json";
    URI uri = URI.create("http://127.0.0.1:" + controller.httpPort() + "/wm/core/switch/" + rest);
    return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }
}
