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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFMeterStatsRequest;
import org.projectfloodlight.openflow.protocol.OFPortStatsRequest;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsReplyFlags;
import org.projectfloodlight.openflow.protocol.OFStatsRequest;
import org.projectfloodlight.openflow.protocol.OFStatsType;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/** Statistics of switches over HTTP, from scripted switches over real TCP. */
@Tag("real-time")
class SwitchStatisticsTest {
  private static final String ID = "00:00:00:00:00:00:00:01";

  private final HttpClient client = HttpClient.newHttpClient();
  private EmbeddedController controller;
  private SwitchRecorder recorder;
  private ScriptedSwitch sw;

  @BeforeEach
  void start() throws Exception {
    controller =
        EmbeddedController.start(
            ModuleSettings.parse("")
                .overlaidWith(EmbeddedControllerTest.FREE_PORTS)
                .overlaidWith(
                    Map.of("io.malob.controller.core.CoreModule.requestTimeoutMillis", "500")));
    recorder = new SwitchRecorder();
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
    JsonNode port = json(200, get(ID + "/port")).get("port_reply").get(0).get("port").get(0);
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
    "desc, /desc/manufacturer_description, malob",
    "port-desc, /port_desc/0/port_number, 1",
    "port-desc, /version, OF_13",
    "features, /dpid, 00:00:00:00:00:00:00:01",
    "features, /tables, 254",
    "role, /00:00:00:00:00:00:00:01, ROLE_MASTER",
    "aggregate, /aggregate/flow_count, 3",
    "group, /group/0/group_number, 9",
    "group, /group/0/bucket_counters/0/byte_count, 4",
    "group-desc, /group_desc/0/group_type, SELECT",
    "group-desc, /group_desc/0/buckets/0/weight, 2",
    "group-features, /group_features/max_groups_select, 8",
    "meter, /meter/0/meter_id, 6",
    "meter-config, /meter_config/0/meter_bands/0/rate, 1000",
    "meter-features, /meter_features/max_bands, 5",
    "table, /table/0/match_count, 12",
    "table-features, /tableFeatures/0/name, classify"
  })
  void statistic_isShownWithFloodlightsNames(String stat, String pointer, String value)
      throws Exception {
    assertEquals(value, json(200, get(ID + "/" + stat)).at(pointer).asText());
  }

  @Test
  void statistic_thatTheSwitchRefuses_is502WithItsError() throws Exception {
    sw.answer(
        request ->
            request instanceof OFMeterStatsRequest
                ? List.of(
                    ScriptedSwitch.FACTORY
                        .errorMsgs()
                        .buildBadRequestErrorMsg()
                        .setXid(request.getXid())
                        .setCode(OFBadRequestCode.BAD_TYPE)
                        .setData(OFErrorCauseData.NONE)
                        .build())
                : null);
    JsonNode answer = json(502, get(ID + "/meter"));
    assertTrue(answer.get("error").asText().contains("BAD_TYPE"));
  }

  /** A heap as small as tests have has room for one answer at a time. */
  @Test
  void all_asksTheNextSwitchWhenTheOneBeforeHasAnswered() throws Exception {
    AtomicInteger waiting = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<ScriptedSwitch> others = new ArrayList<>();
    for (int id = 2; id <= 5; id++) {
      ScriptedSwitch other = new ScriptedSwitch(id, 2);
      others.add(other);
      other.answer(
          request -> {
            if (request instanceof OFFlowStatsRequest) {
              most.accumulateAndGet(waiting.incrementAndGet(), Math::max);
              sleep(100);
              waiting.decrementAndGet();
            }
            return answer(request);
          });
      other.connect(controller.openFlowPort());
      recorder.await("activated " + other.id());
    }
    JsonNode answers = json(200, get("all/flow"));
    others.forEach(ScriptedSwitch::close);
    assertEquals(5, answers.size());
    answers.forEach(each -> assertEquals(1, each.get("flows").size(), each.toString()));
    long room = Math.max(1, Math.min(4, Runtime.getRuntime().maxMemory() / (768L << 20)));
    assertTrue(most.get() <= room, most + " at a time, and there is room for " + room);
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void answer_thatIsTooLong_isAnErrorThatSaysSo() throws Exception {
    sw.answer(SwitchStatisticsTest::endless);
    String error = "The answer has more than 10000 parts or 33554432 bytes";
    assertEquals(error, json(502, get(ID + "/flow")).get("error").asText());
    assertEquals(error, json(200, get("all/flow")).get(ID).get("error").asText());
  }

  /** More parts than are taken. */
  private static List<OFMessage> endless(OFMessage request) {
    if (!(request instanceof OFFlowStatsRequest)) {
      return answer(request);
    }
    OFMessage part =
        ScriptedSwitch.FACTORY
            .buildFlowStatsReply()
            .setXid(request.getXid())
            .setFlags(Set.of(OFStatsReplyFlags.REPLY_MORE))
            .build();
    return Collections.nCopies(10_001, part);
  }

  @Test
  void all_isByDatapathId() throws Exception {
    JsonNode answer = json(200, get("all/port"));
    assertEquals(
        "2",
        answer.get(ID).get("port_reply").get(0).get("port").get(0).get("port_number").asText());
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
    } else if (request instanceof OFStatsRequest<?> asked) {
      OFStatsReply.Builder reply = reply(asked.getStatsType());
      return reply == null ? null : List.of(reply.setXid(request.getXid()).build());
    }
    return null;
  }

  private static OFStatsReply.Builder reply(OFStatsType type) {
    OFFactory of = ScriptedSwitch.FACTORY;
    return switch (type) {
      case AGGREGATE -> of.buildAggregateStatsReply().setFlowCount(3);
      case GROUP ->
          of.buildGroupStatsReply()
              .setEntries(
                  List.of(
                      of.buildGroupStatsEntry()
                          .setGroup(OFGroup.of(9))
                          .setBucketStats(List.of(of.bucketCounter(U64.of(3), U64.of(4))))
                          .build()));
      case GROUP_DESC ->
          of.buildGroupDescStatsReply()
              .setEntries(
                  List.of(
                      of.buildGroupDescStatsEntry()
                          .setGroup(OFGroup.of(9))
                          .setGroupType(OFGroupType.SELECT)
                          .setBuckets(
                              List.of(
                                  of.buildBucket()
                                      .setWeight(2)
                                      .setWatchGroup(OFGroup.ANY)
                                      .setWatchPort(OFPort.ANY)
                                      .build()))
                          .build()));
      case GROUP_FEATURES -> of.buildGroupFeaturesStatsReply().setMaxGroupsSelect(8);
      case METER ->
          of.buildMeterStatsReply().setEntries(List.of(of.buildMeterStats().setMeterId(6).build()));
      case METER_CONFIG ->
          of.buildMeterConfigStatsReply()
              .setEntries(
                  List.of(
                      of.buildMeterConfig()
                          .setMeterId(6)
                          .setEntries(List.of(of.meterBands().drop(1_000, 0)))
                          .build()));
      case METER_FEATURES ->
          of.buildMeterFeaturesStatsReply()
              .setFeatures(of.buildMeterFeatures().setMaxBands((short) 5).build());
      case TABLE ->
          of.buildTableStatsReply()
              .setEntries(List.of(of.buildTableStatsEntry().setMatchedCount(U64.of(12)).build()));
      case TABLE_FEATURES ->
          of.buildTableFeaturesStatsReply()
              .setEntries(List.of(of.buildTableFeatures().setName("classify").build()));
      default -> null;
    };
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
