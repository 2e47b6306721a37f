package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.malob.balancer.api.MemberStats;
import io.malob.rest.RestServer.Answer;
import io.malob.store.MemoryStore;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The catalog as OpenStack's users know it. */
class LbaasRestTest {
  private static RestServer server;

  @BeforeAll
  static void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @BeforeEach
  void setUp() throws Exception {
    server.clear();
    assertEquals(
        201,
        post(
                "/listeners",
                "{\"listener\":{\"id\":\"web\",\"loadbalancer_id\":\"10.0.0.100\","
                    + "\"protocol\":\"TCP\",\"protocol_port\":80,\"admin_state_up\":true}}")
            .status());
    assertEquals(
        201,
        post(
                "/pools",
                "{\"pool\":{\"id\":\"p\",\"listener_id\":\"web\",\"protocol\":\"TCP\","
                    + "\"lb_algorithm\":\"ROUND_ROBIN\"}}")
            .status());
    member("a", "10.0.0.1");
    member("b", "10.0.0.2");
  }

  private static void member(String id, String address) throws Exception {
    Answer made =
        post(
            "/pools/p/members",
            "{\"member\":{\"id\":\"" + id + "\",\"address\":\"" + address + "\",\"weight\":3}}");
    assertEquals(201, made.status(), made.text());
  }

  private static Answer post(String path, String body) throws Exception {
    return server.sendTo("POST", "/v2.0/lbaas" + path, body);
  }

  private static JsonNode get(String path) throws Exception {
    Answer answer = server.sendTo("GET", "/v2.0/lbaas" + path, null);
    assertEquals(200, answer.status(), answer.text());
    return answer.json();
  }

  private static void putMember(String id, String fields) throws Exception {
    Answer answer =
        server.sendTo("PUT", "/v2.0/lbaas/pools/p/members/" + id, "{\"member\":{" + fields + "}}");
    assertEquals(200, answer.status(), answer.text());
  }

  private static void located(String... ids) {
    for (String id : ids) {
      server.stats.put(id, new MemberStats(0, 0, OptionalInt.empty(), 0, true));
    }
  }

  private static String status(String path, String noun) throws Exception {
    return get(path).get(noun).get("operating_status").asText();
  }

  @Test
  void whatIsMadeHere_isInTheCatalog() throws Exception {
    assertEquals("10.0.0.100", server.get("/vips/web").json().get("address").asText());
    assertEquals("web", server.get("/pools/p").json().get("vip_id").asText());
    assertEquals("WRR+SPH", server.get("/pools/p").json().get("lb_method").asText());
    assertEquals("p", server.get("/members/a").json().get("pool_id").asText());
  }

  @Test
  void loadBalancer_isTheAddressOfItsListeners() throws Exception {
    server.put("/vips/dns", "{\"address\":\"10.0.0.100\",\"protocol\":\"udp\",\"port\":53}");

    JsonNode all = get("/loadbalancers").get("loadbalancers");

    assertEquals(1, all.size());
    assertEquals("10.0.0.100", all.get(0).get("vip_address").asText());
    assertEquals(2, all.get(0).get("listeners").size());
    assertEquals(all.get(0), get("/loadbalancers/10.0.0.100").get("loadbalancer"));
    JsonNode listener = get("/listeners/web").get("listener");
    assertEquals("TCP", listener.get("protocol").asText());
    assertEquals("p", listener.get("default_pool_id").asText());
    JsonNode pool = get("/pools/p").get("pool");
    assertEquals("ROUND_ROBIN", pool.get("lb_algorithm").asText());
    assertEquals(2, pool.get("members").size());
    server.put("/pools/p", "{\"lb_method\":\"SL-PS\"}");
    assertEquals("SL-PS", get("/pools/p").get("pool").get("lb_algorithm").asText());
  }

  @Test
  void poolWhoseClientsStay_saysSo() throws Exception {
    server.put("/pools/p", "{\"session_persistence\":{\"type\":\"SOURCE_IP\",\"timeout\":60}}");

    JsonNode stays = get("/pools/p").get("pool").get("session_persistence");

    assertEquals("SOURCE_IP", stays.get("type").asText());
    assertEquals(60, stays.get("persistence_timeout").asInt());
  }

  @Test
  void operatingStatus_isWhatTheNetworkSees() throws Exception {
    assertEquals("ERROR", status("/pools/p/members/a", "member"));
    assertEquals("ERROR", status("/listeners/web", "listener"));
    located("a");
    assertEquals("ONLINE", status("/pools/p/members/a", "member"));
    assertEquals("DEGRADED", status("/pools/p", "pool"));
    located("b");
    assertEquals("ONLINE", status("/loadbalancers/10.0.0.100", "loadbalancer"));
    putMember("a", "\"weight\":0");
    assertEquals("DRAINING", status("/pools/p/members/a", "member"));
    assertEquals("ONLINE", status("/pools/p", "pool"), "of those that are to take connections");
    putMember("b", "\"admin_state_up\":false");
    assertEquals("OFFLINE", status("/pools/p/members/b", "member"));
    assertEquals("OFFLINE", status("/listeners/web", "listener"));
  }

  @Test
  void weightZero_drainsAndKeepsTheWeightForLater() throws Exception {
    putMember("a", "\"weight\":0,\"admin_state_up\":true");
    assertEquals("drain", server.get("/members/a").json().get("admin_state").asText());
    assertEquals(3, server.get("/members/a").json().get("weight").asInt());
    assertEquals(0, get("/pools/p/members/a").get("member").get("weight").asInt());

    putMember("a", "\"admin_state_up\":true");
    assertEquals("up", server.get("/members/a").json().get("admin_state").asText());
    assertEquals(3, get("/pools/p/members/a").get("member").get("weight").asInt());

    putMember("a", "\"admin_state_up\":false");
    assertFalse(get("/pools/p/members/a").get("member").get("admin_state_up").asBoolean());
    assertEquals("down", server.get("/members/a").json().get("admin_state").asText());
  }

  @Test
  void itemThatIsDeleted_isGone() throws Exception {
    for (String path : new String[] {"/pools/p/members/a", "/pools/p", "/listeners/web"}) {
      assertEquals(204, server.sendTo("DELETE", "/v2.0/lbaas" + path, null).status());
      assertEquals(404, server.sendTo("GET", "/v2.0/lbaas" + path, null).status());
    }
    assertEquals(0, get("/loadbalancers").get("loadbalancers").size());
  }

  @Test
  void changeThatPlacementExcludes_isRefusedByItsName() throws Exception {
    assertEquals(200, server.put("/vips/web", "{\"placement\":\"auto\"}").status());
    Answer anyPort =
        server.sendTo(
            "PUT", "/v2.0/lbaas/listeners/web", "{\"listener\":{\"protocol_port\":null}}");
    assertEquals(400, anyPort.status(), anyPort.text());
    assertEquals("protocol_port", anyPort.field());
    server.put(
        "/vips/other",
        "{\"address\":\"10.0.0.101\",\"protocol\":\"tcp\",\"port\":80,\"placement\":\"auto\"}");
    server.put("/pools/q", "{}");
    server.put("/members/c", "{\"address\":\"10.0.0.1\",\"pool_id\":\"q\"}");
    Answer sharedPort =
        server.sendTo("PUT", "/v2.0/lbaas/pools/q", "{\"pool\":{\"listener_id\":\"other\"}}");
    assertEquals(409, sharedPort.status(), sharedPort.text());
    assertEquals("listener_id", sharedPort.field());
  }

  @Test
  void lists_comeInPages() throws Exception {
    Answer first = server.sendTo("GET", "/v2.0/lbaas/pools/p/members?limit=1", null);

    assertEquals(1, first.json().get("members").size());
    assertTrue(
        first
            .response()
            .headers()
            .firstValue("Link")
            .orElse("")
            .startsWith("</v2.0/lbaas/pools/p/members?limit=1&marker=a>"));
    assertEquals(
        "b", get("/pools/p/members?limit=1&marker=a").get("members").get(0).get("id").asText());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "POST | /loadbalancers | {} | 405 | null",
        "GET | /healthmonitors | - | 404 | null",
        "GET | /pools/none/members | - | 404 | null",
        "PUT | /pools/p | {\"pool\":{\"admin_state_up\":false}} | 422 | admin_state_up",
        "PUT | /pools/p | {\"lb_algorithm\":\"RR\"} | 400 | pool",
        "PUT | /pools/p | {\"pool\":{},\"more\":1} | 400 | null",
        "PUT | /pools/p | {\"pool\":{\"name\":\"x\",\"name\":\"y\"}} | 400 | name",
        "PUT | /pools/p | {\"pool\":{\"description\":\"x\"}} | 400 | description",
        "PUT | /pools/p | {\"pool\":{\"listener_id\":\"none\"}} | 422 | listener_id",
        "PUT | /pools/p | {\"pool\":{\"lb_algorithm\":\"SOURCE_IP\"}} | 400 | lb_algorithm",
        "PUT | /listeners/web | {\"listener\":{\"protocol\":\"HTTPS\"}} | 400 | protocol",
        "PUT | /listeners/web | {\"listener\":{\"protocol_port\":70000}} | 400 | protocol_port",
        "PUT | /pools/p/members/a | {\"member\":{\"admin_state_up\":1}} | 400 | admin_state_up",
        "PUT | /pools/p/members/a | {\"member\":{\"weight\":257}} | 400 | weight",
      })
  void whatDoesNotMap_isRefusedByItsName(
      String method, String path, String body, int status, String field) throws Exception {
    Answer answer = server.sendTo(method, "/v2.0/lbaas" + path, body);
    assertEquals(status, answer.status(), answer.text());
    assertEquals(field, answer.field(), answer.text());
  }
}
