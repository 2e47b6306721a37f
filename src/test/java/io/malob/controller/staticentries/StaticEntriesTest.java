package io.malob.controller.staticentries;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.malob.controller.EmbeddedController;
import io.malob.controller.module.ModuleSettings;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.SwitchRecorder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.protocol.OFEchoReply;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowDeleteStrict;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFFlowRemovedReason;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.protocol.action.OFActionPopVlan;
import org.projectfloodlight.openflow.protocol.action.OFActionSetField;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionApplyActions;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionGotoTable;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U64;

/** Static entries from HTTP to a scripted switch, over real connections. */
class StaticEntriesTest {
  private static final String PATH = "/wm/staticentrypusher/json";
  private static final String SWITCH = "00:00:00:00:00:00:00:01";

  private final HttpClient client = HttpClient.newHttpClient();
  private EmbeddedController controller;
  private SwitchRecorder recorder;

  @BeforeEach
  void start() throws Exception {
    controller =
        EmbeddedController.start(
            ModuleSettings.parse("floodlight.modules=" + StaticEntriesModule.class.getName())
                .overlaidWith(
                    Map.of(
                        "io.malob.controller.core.CoreModule.openFlowPort", "0",
                        "io.malob.controller.rest.RestModule.httpPort", "0")));
    recorder = new SwitchRecorder();
    controller.context().getServiceImpl(IOFSwitchService.class).addOFSwitchListener(recorder);
  }

  @AfterEach
  void stop() {
    controller.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void post_manyFields_areInTheRule(OFVersion version) throws Exception {
    try (ScriptedSwitch sw = connect(version)) {
      expect(
          200,
          "Entry pushed",
          send(
              "POST",
              entry(
                  "one",
                  "'table':'1','priority':'77','cookie':'0x5','idle_timeout':9,'hard_timeout':'8',"
                      + "'in_port':'3','eth_type':'0x0800','ip_proto':'6','ipv4_src':'10.1.0.0/16',"
                      + "'ipv4_dst':'10.2.0.1','tcp_dst':80,'eth_src':'00:00:00:00:00:07',"
                      + "'instruction_apply_actions':'pop_vlan,set_field=eth_dst->"
                      + "00:00:00:00:00:09,output=controller','instruction_goto_table':'2'")));
      OFFlowAdd rule = sw.await(OFFlowAdd.class, added -> added.getPriority() == 77);
      assertEquals(TableId.of(1), rule.getTableId());
      assertEquals(U64.of(5), rule.getCookie());
      assertEquals(9, rule.getIdleTimeout());
      assertEquals(8, rule.getHardTimeout());
      assertEquals(OFPort.of(3), rule.getMatch().get(MatchField.IN_PORT));
      assertEquals(
          "10.1.0.0/255.255.0.0", rule.getMatch().getMasked(MatchField.IPV4_SRC).toString());
      assertEquals(IPv4Address.of("10.2.0.1"), rule.getMatch().get(MatchField.IPV4_DST));
      assertEquals(TransportPort.of(80), rule.getMatch().get(MatchField.TCP_DST));
      assertEquals(MacAddress.of(7), rule.getMatch().get(MatchField.ETH_SRC));
      OFInstructionApplyActions apply =
          assertInstanceOf(OFInstructionApplyActions.class, rule.getInstructions().get(0));
      assertInstanceOf(OFActionPopVlan.class, apply.getActions().get(0));
      OFActionSetField set = assertInstanceOf(OFActionSetField.class, apply.getActions().get(1));
      assertEquals(MacAddress.of(9), set.getField().getValue());
      OFActionOutput output = assertInstanceOf(OFActionOutput.class, apply.getActions().get(2));
      assertEquals(OFPort.CONTROLLER, output.getPort());
      OFInstructionGotoTable go =
          assertInstanceOf(OFInstructionGotoTable.class, rule.getInstructions().get(1));
      assertEquals(TableId.of(2), go.getTableId());
    }
  }

  @Test
  void entry_switchIsAway_waitsAndIsRewrittenEachTime() throws Exception {
    expect(
        200,
        "Entry stored until its switch accepts it",
        send("POST", entry("one", "'priority':'9','actions':'output=2'")));
    for (int time = 0; time < 2; time++) {
      try (ScriptedSwitch sw = connect(OFVersion.OF_13)) {
        sw.await(OFFlowAdd.class, rule -> rule.getPriority() == 9);
      }
      recorder.await("removed " + SWITCH);
    }
    expect(200, "Entry one deleted", send("DELETE", "{\"name\":\"one\"}"));
    try (ScriptedSwitch sw = connect(OFVersion.OF_13)) {
      sw.await(OFFlowDeleteStrict.class, rule -> rule.getPriority() == 9);
    }
  }

  @Test
  void post_sameName_replaces() throws Exception {
    try (ScriptedSwitch sw = connect(OFVersion.OF_13)) {
      send("POST", entry("one", "'priority':'9','actions':'output=2'"));
      send("POST", entry("one", "'priority':'10','actions':'output=3'"));
      sw.await(OFFlowDeleteStrict.class, rule -> rule.getPriority() == 9);
      assertEquals(
          List.of("FLOW_MOD ADD 9", "FLOW_MOD ADD 10", "FLOW_MOD DELETE_STRICT 9"),
          sw.flowMods().stream()
              .filter(rule -> rule.getPriority() > 0)
              .map(StaticEntriesTest::describe)
              .toList());
      JsonNode list = new ObjectMapper().readTree(send("GET", "").body());
      assertEquals(1, list.get(SWITCH).size());
      assertEquals("10", list.get(SWITCH).get(0).get("one").get("priority").asText());
    }
  }

  @Test
  void post_sameNameAndPlace_isOneMessageWithoutAGap() throws Exception {
    try (ScriptedSwitch sw = connect(OFVersion.OF_13)) {
      send("POST", entry("one", "'priority':'9','in_port':'1','actions':'output=2'"));
      send("POST", entry("one", "'priority':'9','in_port':'1','actions':'output=3'"));
      send("POST", entry("last", "'priority':'10','actions':'output=3'"));
      sw.await(OFFlowAdd.class, rule -> rule.getPriority() == 10);
      assertEquals(
          List.of("FLOW_MOD ADD 9", "FLOW_MOD ADD 9", "FLOW_MOD ADD 10"),
          sw.flowMods().stream()
              .filter(rule -> rule.getPriority() > 0)
              .map(StaticEntriesTest::describe)
              .toList());
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = OFFlowRemovedReason.class,
      names = {"IDLE_TIMEOUT", "HARD_TIMEOUT", "GROUP_DELETE"})
  void entry_whoseRuleHasEnded_isListedNoMore(OFFlowRemovedReason reason) throws Exception {
    try (ScriptedSwitch sw = connect(OFVersion.OF_13)) {
      send("POST", entry("one", "'priority':'9','in_port':'1','idle_timeout':1,'cookie':'7'"));
      send("POST", entry("two", "'priority':'9','in_port':'2','idle_timeout':1,'cookie':'7'"));
      OFFlowAdd rule = sw.await(OFFlowAdd.class, added -> isAt(added, 1));
      sw.send(removed(sw, rule, OFFlowRemovedReason.DELETE));
      sw.send(removed(sw, rule, reason));
      for (int tries = 0; list().size() > 1 && tries < 200; tries++) {
        Thread.sleep(10);
      }
      assertEquals(1, list().size());
      assertTrue(list().get(0).has("two"));
    }
  }

  private JsonNode list() throws Exception {
    return new ObjectMapper().readTree(send("GET", "").body()).get(SWITCH);
  }

  @Test
  void entry_whoseRuleWasDeletedByACommand_isStillListed() throws Exception {
    try (ScriptedSwitch sw = connect(OFVersion.OF_13)) {
      send("POST", entry("one", "'priority':'9','in_port':'1'"));
      OFFlowAdd rule = sw.await(OFFlowAdd.class, added -> isAt(added, 1));
      assertEquals(Set.of(OFFlowModFlags.SEND_FLOW_REM), rule.getFlags());
      sw.send(removed(sw, rule, OFFlowRemovedReason.DELETE));
      sw.send(sw.factory().echoRequest(new byte[] {5}));
      sw.await(OFEchoReply.class, echo -> echo.getData().length == 1);
      assertEquals(1, new ObjectMapper().readTree(send("GET", "").body()).get(SWITCH).size());
    }
  }

  private static boolean isAt(OFFlowAdd rule, int port) {
    return rule.getPriority() == 9
        && OFPort.of(port).equals(rule.getMatch().get(MatchField.IN_PORT));
  }

  private static OFMessage removed(ScriptedSwitch sw, OFFlowAdd rule, OFFlowRemovedReason reason) {
    return sw.factory()
        .buildFlowRemoved()
        .setTableId(rule.getTableId())
        .setPriority(rule.getPriority())
        .setCookie(rule.getCookie())
        .setMatch(rule.getMatch())
        .setReason(reason)
        .build();
  }

  @Test
  void clear_oneSwitch_takesItsEntriesOnly() throws Exception {
    try (ScriptedSwitch sw = connect(OFVersion.OF_13)) {
      send("POST", entry("one", "'priority':'9','actions':'output=2'"));
      send(
          "POST",
          "{\"switch\":\"00:00:00:00:00:00:00:02\",\"name\":\"two\",\"actions\":\"output=2\"}");
      expect(
          200,
          "1 entries deleted",
          exchange("GET", "/wm/staticentrypusher/clear/" + SWITCH + "/json", ""));
      sw.await(OFFlowDeleteStrict.class, rule -> rule.getPriority() == 9);
      assertEquals(
          "{}", exchange("GET", "/wm/staticentrypusher/list/" + SWITCH + "/json", "").body());
      assertEquals(
          "{\"00:00:00:00:00:00:00:02\":[{\"two\":{\"switch\":\"00:00:00:00:00:00:00:02\","
              + "\"name\":\"two\",\"actions\":\"output=2\"}}]}",
          exchange("GET", "/wm/staticentrypusher/list/all/json/", "").body());
    }
  }

  @Test
  void entry_notActive_isKeptButNotWritten() throws Exception {
    try (ScriptedSwitch sw = connect(OFVersion.OF_13)) {
      send("POST", entry("off", "'priority':'9','active':'false','actions':'output=2'"));
      send("POST", entry("on", "'priority':'10','active':true,'actions':'output=2'"));
      sw.await(OFFlowAdd.class, rule -> rule.getPriority() == 10);
      assertEquals(0, sw.flowMods().stream().filter(rule -> rule.getPriority() == 9).count());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"name\":\"a\"} | switch",
        "{\"switch\":\"1\"} | name",
        "{\"switch\":\"x\",\"name\":\"a\"} | switch",
        "{\"switch\":\"1\",\"name\":\"a\",\"colour\":\"red\"} | colour",
        "{\"switch\":\"1\",\"name\":\"a\",\"priority\":\"65536\"} | priority",
        "{\"switch\":\"1\",\"name\":\"a\",\"tcp_dst\":\"80\"} | tcp_dst",
        "{\"switch\":\"1\",\"name\":\"a\",\"eth_src\":\"me\"} | eth_src",
        "{\"switch\":\"1\",\"name\":\"a\",\"eth_type\":\"2048\",\"ipv4_src\":\"10.0.0.0/99\"} |"
            + " ipv4_src",
        "{\"switch\":\"1\",\"name\":\"a\",\"actions\":\"output=nowhere\"} | actions",
        "{\"switch\":\"1\",\"name\":\"a\",\"actions\":\"fly\"} | actions",
        "{\"switch\":\"1\",\"name\":\"a\",\"actions\":\"set_field=colour->1\"} | actions",
        "{\"switch\":\"1\",\"name\":\"a\",\"table\":2,\"instruction_goto_table\":2} |"
            + " instruction_goto_table",
        "{\"switch\":\"1\",\"name\":\"a\",\"active\":\"maybe\"} | active",
        "{\"switch\":\"1\",\"name\":{}} | name"
      })
  void post_wrongField_is400WithItsName(String body, String field) throws Exception {
    HttpResponse<String> response = send("POST", body);
    assertEquals(400, response.statusCode(), response.body());
    JsonNode json = new ObjectMapper().readTree(response.body());
    assertEquals(field, json.get("field").asText(), response.body());
    assertEquals("{}", send("GET", "").body());
  }

  @Test
  void bodyThatIsTooLarge_is400() throws Exception {
    assertEquals(400, send("POST", " ".repeat(64 * 1024 + 1)).statusCode());
  }

  @ParameterizedTest
  @CsvSource({"POST, nonsense, 400", "POST, [], 400", "DELETE, '', 400", "PUT, {}, 405"})
  void requestThatMakesNoSense_isRefused(String method, String body, int status) throws Exception {
    assertEquals(status, send(method, body).statusCode());
  }

  @Test
  void delete_unknownName_is404() throws Exception {
    HttpResponse<String> response = send("DELETE", "{\"name\":\"nothing\"}");
    assertEquals(404, response.statusCode());
    assertEquals(
        "{\"error\":\"There is no entry \\\"nothing\\\"\",\"field\":\"name\"}", response.body());
  }

  private static String describe(OFFlowMod rule) {
    return rule.getType() + " " + rule.getCommand() + " " + rule.getPriority();
  }

  private ScriptedSwitch connect(OFVersion version) throws Exception {
    ScriptedSwitch sw =
        new ScriptedSwitch(1, 3).version(version).connect(controller.openFlowPort());
    recorder.await("activated " + sw.id());
    return sw;
  }

  private static String entry(String name, String fields) {
    return ("{'switch':'" + SWITCH + "','name':'" + name + "'," + fields + "}").replace('\'', '"');
  }

  private static void expect(int status, String text, HttpResponse<String> response) {
    assertEquals(status, response.statusCode(), response.body());
    assertEquals("{\"status\":\"" + text + "\"}", response.body());
  }

  private HttpResponse<String> send(String method, String body) throws Exception {
    return exchange(method, PATH, body);
  }

  private HttpResponse<String> exchange(String method, String path, String body) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + controller.httpPort() + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri).method(method, BodyPublishers.ofString(body)).build();
    return client.send(request, BodyHandlers.ofString());
  }
}
