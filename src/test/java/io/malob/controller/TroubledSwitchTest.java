package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.malob.controller.module.ModuleSettings;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.testing.Frames;
import io.malob.testing.ScriptedSwitch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFBarrierRequest;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.OFFlowRemovedReason;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFTableStatsRequest;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.errormsg.OFFlowModFailedErrorMsg;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFErrorCauseData;

/** All modules over real TCP, with a switch that is late, repeats itself, and refuses rules. */
@Tag("real-time")
class TroubledSwitchTest {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final IPv4Address CLIENT = IPv4Address.of("10.0.0.1");
  private static final MacAddress CLIENT_MAC = MacAddress.of("02:00:00:00:00:01");
  private static final MacAddress VIP_MAC = MacAddress.of("02:03:00:00:00:01");
  private static final int SYN = 2;
  private static final long LATE_MILLIS = 100;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
  private final HttpClient http = HttpClient.newHttpClient();
  private EmbeddedController controller;
  private ScriptedSwitch sw;

  @BeforeEach
  void start() throws Exception {
    try (Reader settings =
        new InputStreamReader(
            TroubledSwitchTest.class.getResourceAsStream("/floodlightdefault.properties"),
            StandardCharsets.UTF_8)) {
      controller =
          EmbeddedController.start(
              ModuleSettings.read(settings).overlaidWith(EmbeddedControllerTest.FREE_PORTS));
    }
    post("vips", "{'id':'web','protocol':'tcp','address':'10.0.0.100','port':80}");
    post("pools", "{'id':'servers','vip_id':'web'}");
    post("members", "{'id':'a','address':'10.0.0.2','port':8080,'pool_id':'servers'}");
    post("members", "{'id':'b','address':'10.0.0.3','port':8080,'pool_id':'servers'}");
    sw = new ScriptedSwitch(1, 3).answer(this::lateBarriers).connect(controller.openFlowPort());
    awaitMembers();
  }

  @AfterEach
  void stop() {
    sw.close();
    controller.close();
    later.shutdownNow();
  }

  /** Barriers are answered late, and there are no rules from before; the rest is as usual. */
  private List<OFMessage> lateBarriers(OFMessage message) {
    if (message instanceof OFTableStatsRequest) {
      return List.of(
          sw.factory()
              .buildTableStatsReply()
              .setXid(message.getXid())
              .setEntries(List.of())
              .build());
    }
    if (message instanceof OFFlowStatsRequest) {
      return List.of(
          sw.factory()
              .buildFlowStatsReply()
              .setXid(message.getXid())
              .setEntries(List.of())
              .build());
    }
    if (!(message instanceof OFBarrierRequest)) {
      return null;
    }
    OFMessage reply = sw.factory().buildBarrierReply().setXid(message.getXid()).build();
    var unused = later.schedule(() -> sw.send(reply), LATE_MILLIS, TimeUnit.MILLISECONDS);
    return List.of();
  }

  @Test
  void firstPacketReportedThreeTimes_isPlacedOnce() throws Exception {
    syn(40_000);
    syn(40_000);
    syn(40_000);
    List<OFFlowAdd> rules = requestRules(1);
    // one more connection, behind which nothing of the first can still be on its way
    syn(40_001);
    rules = sw.awaitCount(rules.size() + 1, OFFlowAdd.class, this::isRequestRule);

    assertEquals(
        1,
        rules.stream()
            .filter(rule -> rule.getMatch().get(MatchField.TCP_SRC).getPort() == 40_000)
            .map(OFFlowAdd::getCookie)
            .distinct()
            .count());
    awaitStats(2, 2);
  }

  @Test
  void flowRemovedOfAnEarlierConnection_doesNotEndTheOneThatIsOpen() throws Exception {
    syn(40_000);
    OFFlowAdd first = requestRules(1).get(0);
    flowRemoved(first);
    awaitStats(0, 1);
    syn(40_000);
    OFFlowAdd second = requestRules(2).get(1);
    assertNotEquals(first.getCookie(), second.getCookie());
    flowRemoved(first);
    // one more connection, so that the late message has been read
    syn(40_001);
    awaitStats(2, 3);
    flowRemoved(second);
    awaitStats(1, 3);
  }

  @Test
  void requestRuleRefused_isCountedAndEndsTheConnection_laterOnesArePlaced() throws Exception {
    sw.answer(
        message ->
            message instanceof OFFlowAdd rule && isRequestRule(rule)
                ? List.of(tableFull(rule))
                : lateBarriers(message));
    syn(40_000);
    await("a refused rule", () -> refused() == 1);
    await("no open connection", () -> counters().path("open_connections").asInt() == 0);
    awaitStats(0, 1);

    sw.answer(this::lateBarriers);
    sw.forget();
    syn(40_001);
    assertEquals(1, requestRules(1).size());
    awaitStats(1, 2);
    assertEquals(1, refused());
  }

  private int refused() throws Exception {
    return counters()
        .path("refused_rules")
        .path("00:00:00:00:00:00:00:01")
        .path("FLOW_MOD_FAILED/TABLE_FULL")
        .asInt();
  }

  private void syn(int port) {
    sw.packetIn(1, 1, Frames.tcp(CLIENT_MAC, VIP_MAC, CLIENT, port, VIP, 80, SYN));
  }

  private List<OFFlowAdd> requestRules(int count) {
    return sw.awaitCount(count, OFFlowAdd.class, this::isRequestRule);
  }

  private boolean isRequestRule(OFFlowAdd rule) {
    return Cookie.is(rule.getCookie(), CookieKind.REQUEST);
  }

  private void flowRemoved(OFFlowAdd rule) {
    sw.send(
        sw.factory()
            .buildFlowRemoved()
            .setCookie(rule.getCookie())
            .setPriority(rule.getPriority())
            .setReason(OFFlowRemovedReason.IDLE_TIMEOUT)
            .setTableId(rule.getTableId())
            .setIdleTimeout(rule.getIdleTimeout())
            .setMatch(rule.getMatch())
            .build());
  }

  private OFErrorMsg tableFull(OFFlowAdd rule) {
    ByteBuf bytes = Unpooled.buffer();
    rule.writeTo(bytes);
    byte[] quoted = new byte[bytes.readableBytes()];
    bytes.readBytes(quoted);
    OFFlowModFailedErrorMsg.Builder error = sw.factory().errorMsgs().buildFlowModFailedErrorMsg();
    return error
        .setXid(rule.getXid())
        .setCode(OFFlowModFailedCode.TABLE_FULL)
        .setData(OFErrorCauseData.of(quoted, OFVersion.OF_13))
        .build();
  }

  /** Lets the hosts speak until the network knows where both members are. */
  private void awaitMembers() throws Exception {
    await(
        "both members to be located",
        () -> {
          for (int host = 1; host <= 3; host++) {
            MacAddress mac = MacAddress.of(0x0200_0000_0000L + host);
            sw.packetIn(host, Frames.arpRequest(mac, IPv4Address.of(0x0a00_0000 + host), VIP));
          }
          int located = 0;
          for (JsonNode member : get("/quantum/v1.0/pools/servers/stats/").path("members")) {
            located += member.path("located").asBoolean() ? 1 : 0;
          }
          return located == 2;
        });
  }

  private void awaitStats(int active, int total) throws Exception {
    await(
        active + " active of " + total + " connections",
        () -> {
          JsonNode stats = get("/quantum/v1.0/pools/servers/stats/");
          return stats.path("active_connections").asInt() == active
              && stats.path("total_connections").asInt() == total;
        });
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
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private JsonNode counters() throws Exception {
    return get("/wm/malob/counters");
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
