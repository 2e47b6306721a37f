package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.malob.controller.module.ModuleSettings;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.SwitchRecorder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortStatsRequest;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.stat.StatField;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/** Counters that OpenFlow 1.5 carries in other places than 1.3, under the same names. */
class FlowStatistics15Test {
  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void countersOfVersion15_areShownUnderTheSameNames() throws Exception {
    try (EmbeddedController controller =
            EmbeddedController.start(
                ModuleSettings.parse("").overlaidWith(EmbeddedControllerTest.FREE_PORTS));
        ScriptedSwitch sw = new ScriptedSwitch(1, 2).version(OFVersion.OF_15)) {
      SwitchRecorder recorder = new SwitchRecorder();
      controller.context().getServiceImpl(IOFSwitchService.class).addOFSwitchListener(recorder);
      sw.answer(request -> answer(sw.factory(), request)).connect(controller.openFlowPort());
      recorder.await("activated " + sw.id());
      String path = "http://127.0.0.1:" + controller.httpPort() + "/wm/core/switch/" + sw.id();
      JsonNode flow = get(path + "/flow/json").at("/flows/0");
      assertEquals("7", flow.get("packet_count").asText());
      assertEquals("3", flow.get("duration_sec").asText());
      assertEquals("5", flow.get("duration_nsec").asText());
      JsonNode port = get(path + "/port/json").at("/port_reply/0/port/0");
      assertEquals("2", port.get("port_number").asText());
      assertEquals("4", port.get("collisions").asText());
    }
  }

  private JsonNode get(String uri) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(uri)).build();
    return new ObjectMapper().readTree(client.send(request, BodyHandlers.ofString()).body());
  }

  private static List<OFMessage> answer(OFFactory of, OFMessage request) {
    if (request instanceof OFFlowStatsRequest) {
      return List.of(
          of.buildFlowStatsReply()
              .setXid(request.getXid())
              .setEntries(
                  List.of(
                      of.buildFlowStatsEntry()
                          .setMatch(of.matchWildcardAll())
                          .setStats(
                              of.buildStat()
                                  .set(StatField.PACKET_COUNT, U64.of(7))
                                  .set(StatField.DURATION, U64.of(3L << 32 | 5))
                                  .build())
                          .build()))
              .build());
    } else if (request instanceof OFPortStatsRequest) {
      return List.of(
          of.buildPortStatsReply()
              .setXid(request.getXid())
              .setEntries(
                  List.of(
                      of.buildPortStatsEntry()
                          .setPortNo(OFPort.of(2))
                          .setProperties(
                              List.of(
                                  of.buildPortStatsPropEthernet().setCollisions(U64.of(4)).build()))
                          .build()))
              .build());
    }
    return null;
  }
}
