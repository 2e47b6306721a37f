package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.health.Health;
import io.malob.balancer.api.EjectedMember;
import io.malob.balancer.api.IBalancerService.CatalogEffect;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.VipStats;
import io.malob.json.RejectedException;
import io.malob.rest.RestServer.Answer;
import io.malob.store.Document;
import io.malob.store.MemoryStore;
import io.malob.store.Revisioned;
import io.malob.store.Store;
import io.malob.store.Swap;
import io.malob.testing.Placements;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.module.IFloodlightModule;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The resources over real HTTP: verbs, paths, spellings, statuses. */
class BalancerRestTest {
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
  void clear() throws RejectedException {
    server.clear();
  }

  /** The commands of Table 3.1 and section 3.2, in the bytes that a shell sends. */
  @Test
  void thesisCommands_workAsPrinted() throws Exception {
    Answer vip =
        server.post(
            "/vips/",
            "{\"id\":\"1\",\"name\":\"vip1\",\"protocol\":\"icmp\",\"address\":\n"
                + "\"10.0.0.100\",\"port\":\"8\"}");
    Answer pool =
        server.post(
            "/pools/",
            "{\"id\":\"1\",\"name\":\"pool1\",\"protocol\":\"icmp\",\"vip id\":\n\"1\"}");
    Answer member =
        server.post(
            "/members/",
            "{\"id\":\"2\",\"address\":\"10.0.0.4\",\"port\":\"8\",\"pool id\":\n\"1\"}");
    assertEquals(List.of(201, 201, 201), List.of(vip.status(), pool.status(), member.status()));
    assertEquals(
        "{\"id\":\"1\",\"name\":\"vip1\",\"protocol\":\"icmp\",\"address\":\"10.0.0.100\","
            + "\"vlan\":null,\"port\":8,\"lb_method\":null,\"allowed_sources\":null,"
            + "\"connection_limit\":null,\"placement\":\"reactive\",\"auto_per_second\":null,\"admin_state\":\"up\","
            + "\"description\":\"\",\"tags\":[],\"external_ids\":{},\"pools\":[]}",
        vip.text());
    assertEquals("1", pool.json().path("vip_id").asText());
    assertEquals("1", member.json().path("pool_id").asText());
    assertEquals("[\"2\"]", server.get("/pools/1").json().path("members").toString());
  }

  @Test
  void thesisServiceCommand_isUnderstood() throws Exception {
    Answer bio =
        server.post(
            "/services/", "{\"service name\":\"BioApp \",\"algorithm\":\"3\",\"port\":\"6789\"}");
    assertEquals(201, bio.status());
    assertEquals("BioApp", bio.json().path("service_name").asText());
    assertEquals("CPU+SPL", bio.json().path("algorithm").asText());
    assertEquals(6789, bio.json().path("port").asInt());
  }

  @ParameterizedTest
  @ValueSource(strings = {"vips", "pools", "members", "services"})
  void everyKind_canBeCreatedShownChangedAndDeleted(String kind) throws Exception {
    String body =
        switch (kind) {
          case "vips" -> "{\"id\":\"a\",\"address\":\"10.0.0.100\",\"port\":80}";
          case "members" -> "{\"id\":\"a\",\"address\":\"10.0.0.1\",\"port\":80}";
          case "services" -> "{\"id\":\"a\",\"port\":80,\"algorithm\":\"rr\"}";
          default -> "{\"id\":\"a\"}";
        };
    for (String slash : List.of("", "/")) {
      Answer created = server.post("/" + kind + slash, body);
      assertEquals(201, created.status());
      assertEquals(created.json(), server.get("/" + kind + "/a" + slash).json());
      Answer all = server.get("/" + kind + slash);
      assertEquals(200, all.status());
      assertEquals(created.json(), all.json().get(all.json().size() - 1));
      Answer changed = server.put("/" + kind + "/a" + slash, created.text());
      assertEquals(200, changed.status());
      assertEquals(created.json(), changed.json());
      Answer deleted = server.delete("/" + kind + "/a" + slash);
      assertEquals(200, deleted.status());
      assertEquals(created.json(), deleted.json());
      assertEquals(404, server.get("/" + kind + "/a" + slash).status());
      assertEquals(404, server.put("/" + kind + slash, "{\"id\":\"a\"}").status());
      assertEquals(404, server.delete("/" + kind + "/a" + slash).status());
    }
  }

  @Test
  void putOnCollection_changesTheItemWithTheIdInTheBody() throws Exception {
    server.post("/vips/", "{\"id\":\"1\",\"address\":\"10.0.0.100\",\"port\":80}");
    Answer answer = server.put("/vips/", "{\"id\":\"1\",\"port\":81}");
    assertEquals(200, answer.status());
    assertEquals(81, answer.json().path("port").asInt());
    assertEquals("10.0.0.100", answer.json().path("address").asText());
    Answer without = server.put("/vips", "{\"port\":82}");
    assertEquals(400, without.status());
    assertEquals("id", without.field());
  }

  /** Floodlight's defect 6. */
  @Test
  void put_keepsWhatItDoesNotName_andClearsWhatIsNull() throws Exception {
    setUpPool();
    server.put("/vips/v", "{\"name\":\"web\"}");
    server.put("/pools/p", "{\"name\":\"servers\",\"lb_method\":\"WRR\"}");
    assertEquals("[\"p\"]", server.get("/vips/v").json().path("pools").toString());
    assertEquals(80, server.get("/vips/v").json().path("port").asInt());
    assertEquals("[\"m1\",\"m2\"]", server.get("/pools/p").json().path("members").toString());
    assertEquals("v", server.get("/pools/p").json().path("vip_id").asText());
    Answer cleared = server.put("/pools/p", "{\"vip_id\":null}");
    assertTrue(cleared.json().path("vip_id").isNull());
    assertEquals("WRR+SPH", cleared.json().path("lb_method").asText());
  }

  @ParameterizedTest
  @ValueSource(strings = {"load_balancers", "vips", "pools", "members", "health_monitors"})
  void emptyName_isKept_andNullIsTheId(String kind) throws Exception {
    String path = "/" + kind + "/a";
    String required = "\"address\":\"10.0.0.1\"";
    switch (kind) {
      case "pools" -> required = "\"protocol\":\"tcp\"";
      case "health_monitors" -> required = "\"type\":\"TCP\"";
      default -> {}
    }
    assertEquals("a", server.put(path, "{" + required + "}").json().get("name").asText());
    Answer empty = server.put(path, "{\"name\":\" \"}");
    assertEquals(200, empty.status(), empty.text());
    assertEquals("", empty.json().get("name").asText("none"));
    assertEquals(empty.json(), server.put(path, empty.text()).json());
    assertEquals("a", server.put(path, "{\"name\":null}").json().get("name").asText());
  }

  @Test
  void loadBalancer_listsItsVips_andIsPutAsItIsGot() throws Exception {
    server.put("/vips/v", "{\"address\":\"10.0.0.100\",\"port\":80}");
    Answer made =
        server.put(
            "/load_balancers/l",
            "{\"address\":\"10.0.0.100\",\"tags\":[\"a\",\"b c\"],"
                + "\"external_ids\":{\"project_id\":\"7\",\"none\":null}}");
    assertEquals(201, made.status());
    assertEquals(
        "{\"id\":\"l\",\"name\":\"l\",\"address\":\"10.0.0.100\",\"admin_state\":\"up\","
            + "\"description\":\"\",\"tags\":[\"a\",\"b c\"],"
            + "\"external_ids\":{\"project_id\":\"7\"},\"vips\":[\"v\"]}",
        made.text());
    assertEquals(made.json(), server.put("/load_balancers/l", made.text()).json());

    Answer described = server.put("/load_balancers/l", "{\"description\":\"a, b\"}");
    assertEquals("a, b", described.json().get("description").asText());
    assertEquals(2, described.json().get("tags").size());
    Answer cleared = server.put("/load_balancers/l", "{\"tags\":[],\"external_ids\":{}}");
    assertEquals("[]{}", cleared.json().get("tags") + "" + cleared.json().get("external_ids"));
    assertEquals("a, b", cleared.json().get("description").asText());

    server.put("/load_balancers/l", "{\"address\":\"10.0.0.101\"}");
    assertEquals("[]", server.get("/load_balancers/l").json().get("vips").toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"tags\":[\"a,b\"]} | tags[0]",
        "{\"tags\":[\"\",\"b\"]} | tags",
        "{\"external_ids\":{\"a\":\"b,c\"}} | external_ids.a",
        "{\"external_ids\":{\"a=b\":\"c\"}} | external_ids",
        "{\"external_ids\":{\"a\":{}}} | external_ids.a",
        "{\"vips\":[\"v\"]} | vips"
      })
  void notesThatCannotBeKept_areRefused(String body, String field) throws Exception {
    server.put("/load_balancers/l", "{\"address\":\"10.0.0.100\"}");
    Answer answer = server.put("/load_balancers/l", body);
    assertEquals(400, answer.status());
    assertEquals(field, answer.field());
  }

  @Test
  void lists_areReadOnly() throws Exception {
    setUpPool();
    assertEquals(200, server.put("/pools/p", server.get("/pools/p").text()).status());
    Answer answer = server.put("/pools/p", "{\"members\":[\"m1\"]}");
    assertEquals(400, answer.status());
    assertEquals("members", answer.field());
    assertEquals(400, server.put("/pools/p", "{\"name\":[\"m1\"]}").status());
  }

  @Test
  void whatHasParts_canBeSentBackAsItIsShown_andAsAText() throws Exception {
    setUpPool();
    Answer vip = server.put("/vips/v", "{\"allowed_sources\":[\"10.0.0.0/8\",\"172.16.0.9\"]}");
    assertEquals(
        "[\"10.0.0.0/8\",\"172.16.0.9/32\"]", vip.json().path("allowed_sources").toString());
    Answer pool =
        server.put(
            "/pools/p", "{\"session persistence\":{\"type\":\"SOURCE_IP\"},\"slowStart\":5}");
    assertEquals(
        "{\"type\":\"SOURCE_IP\",\"timeout\":1800}",
        pool.json().path("session_persistence").toString());
    assertEquals(5, pool.json().path("slow_start").asInt());
    Answer member = server.put("/members/m1", "{\"backup\":true,\"connectionLimit\":9}");
    assertTrue(member.json().path("backup").asBoolean());
    assertEquals(9, member.json().path("connection_limit").asInt());

    for (String path : List.of("/vips/v", "/pools/p", "/members/m1")) {
      Answer shown = server.get(path);
      assertEquals(shown.json(), server.put(path, shown.text()).json());
    }
    assertEquals(
        server.get("/vips/v").json(),
        server.put("/vips/v", "{\"allowed_sources\":\"10.0.0.0/8,172.16.0.9/32\"}").json());
    assertEquals(
        60,
        server
            .put("/pools/p", "{\"session_persistence\":\"type=source_ip, timeout=60\"}")
            .json()
            .at("/session_persistence/timeout")
            .asInt());
    Answer cleared = server.put("/pools/p", "{\"session_persistence\":null,\"slow_start\":null}");
    assertTrue(cleared.json().path("session_persistence").isNull());
    assertEquals(0, cleared.json().path("slow_start").asInt());
  }

  @Test
  void membersOfPool_areTheMembersWithThatPool() throws Exception {
    setUpPool();
    server.post("/members/", "{\"id\":\"other\",\"address\":\"10.0.0.9\"}");
    assertEquals(2, server.get("/pools/p/members/").json().size());
    Answer added = server.post("/pools/p/members", "{\"id\":\"m3\",\"address\":\"10.0.0.3\"}");
    assertEquals(201, added.status());
    assertEquals("p", added.json().path("pool_id").asText());
    assertEquals(added.json(), server.get("/pools/p/members/m3").json());
    assertEquals(
        7, server.put("/pools/p/members/m3/", "{\"weight\":7}").json().get("weight").asInt());
    assertEquals(200, server.put("/pools/p/members/", "{\"id\":\"m3\",\"weight\":8}").status());
    assertEquals(404, server.get("/pools/p/members/other").status());
    assertEquals(404, server.delete("/pools/p/members/other").status());
    assertEquals(200, server.delete("/pools/p/members/m3").status());
    assertEquals(404, server.get("/members/m3").status());
    assertEquals(404, server.get("/pools/none/members/").status());
    Answer elsewhere =
        server.post("/pools/p/members/", "{\"address\":\"10.0.0.5\",\"pool_id\":\"q\"}");
    assertEquals(400, elsewhere.status());
    assertEquals("pool_id", elsewhere.field());
  }

  @Test
  void stats_sumTheMembersOfThePool() throws Exception {
    setUpPool();
    server.stats.put(
        "m1", new MemberStats(2, 10, OptionalInt.of(7), 0, 5, true, Health.UNCHECKED, 1));
    server.ejected.put(
        "m1", new EjectedMember("no_reply", 2, TimeUnit.MILLISECONDS.toNanos(40_100)));
    Answer answer = server.get("/pools/p/stats/");
    assertEquals(200, answer.status());
    assertEquals(
        "{\"id\":\"p\",\"active_connections\":2,\"total_connections\":10,"
            + "\"counted_by\":\"idle_timeout\",\"members\":[{\"id\":\"m1\","
            + "\"address\":\"10.0.0.1\",\"active_connections\":2,\"total_connections\":10,"
            + "\"reported_connections\":7,\"foreign_connections\":5,\"located\":true,"
            + "\"health\":\"unchecked\",\"share\":1.0,"
            + "\"ejected\":{\"why\":\"no_reply\",\"times\":2,\"seconds_left\":41}},"
            + "{\"id\":\"m2\",\"address\":\"10.0.0.2\","
            + "\"active_connections\":0,\"total_connections\":0,\"reported_connections\":null,"
            + "\"foreign_connections\":0,\"located\":false,"
            + "\"health\":\"unchecked\",\"share\":1.0,\"ejected\":null}]}",
        answer.text());
    assertEquals(404, server.get("/pools/none/stats").status());
    assertEquals(405, server.delete("/pools/p/stats").status());
  }

  @Test
  void stats_areEstimates_whileTheVipHasBuckets() throws Exception {
    server.post("/vips/", "{\"id\":\"web\",\"address\":\"10.0.0.200\"}");
    server.post("/pools/", "{\"id\":\"farm\",\"vip_id\":\"web\"}");
    server.post("/pools/", "{\"id\":\"other\"}");
    ProactiveStats withoutBuckets =
        Placements.web(Placements.reactive(1, ProactiveStats.Problem.Kind.NO_MASKS, "no masks"));
    for (ProactiveStats vip : List.of(withoutBuckets, Placements.web(Placements.proactive(1)))) {
      server.proactive.clear();
      server.proactive.add(vip);
      assertEquals(
          vip.equals(withoutBuckets) ? "idle_timeout" : "estimate",
          server.get("/pools/farm/stats").json().get("counted_by").asText());
      assertEquals(
          "idle_timeout", server.get("/pools/other/stats").json().get("counted_by").asText());
    }
    server.proactive.clear();
  }

  @Test
  void statsOfAVip_areItsConnectionsAndLimits() throws Exception {
    server.post("/vips/", "{\"id\":\"full\",\"address\":\"10.0.0.200\",\"connection_limit\":9}");
    server.vipStats.put("full", new VipStats(7, 0, 500_000, 500_000));
    Answer answer = server.get("/vips/full/stats/");
    assertEquals(200, answer.status());
    assertEquals(
        "{\"id\":\"full\",\"active_connections\":7,\"connection_limit\":9,"
            + "\"half_open_connections\":500000,\"half_open_limit\":500000}",
        answer.text());
    assertEquals(404, server.get("/vips/none/stats").status());
    assertEquals(405, server.delete("/vips/full/stats").status());
    assertEquals(400, server.get("/vips/full/stats?all=1").status());
  }

  /** Floodlight's defect 9. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "DELETE | /vips/ | | 405 | ",
        "POST | /vips/v | {} | 405 | ",
        "PATCH | /vips/v | {} | 405 | ",
        "GET | / | | 404 | ",
        "GET | /nothing/ | | 404 | ",
        "GET | /vips/v/members | | 404 | ",
        "GET | /vips//v | | 404 | ",
        "GET | /pools/p/members/m1/x | | 404 | ",
        "GET | /vips/none | | 404 | ",
        "POST | /vips/ | | 400 | ",
        "POST | /vips/ | [] | 400 | ",
        "POST | /vips/ | {\"address\":\"10.0.0.7\" | 400 | ",
        "POST | /vips/ | {\"address\":\"10.0.0.7\"} x | 400 | ",
        "POST | /vips/ | {\"address\":\"10.0.0.7\"}{} | 400 | ",
        "POST | /vips/ | {“address”:“10.0.0.7”} | 400 | ",
        "POST | /vips/ | {\"adress\":\"10.0.0.7\"} | 400 | adress",
        "POST | /vips/ | {\"address\":\"10.0.0.7\",\"address\":\"10.0.0.8\"} | 400 | address",
        "POST | /pools/ | {\"vip_id\":\"v\",\"vip id\":\"v\"} | 400 | vip_id",
        "POST | /vips/ | {\"address\":{\"a\":1}} | 400 | address",
        "POST | /vips/ | {\"address\":[[1]]} | 400 | address",
        "POST | /vips/ | {\"address\":true} | 400 | address",
        "POST | /vips/ | {\"address\":\"10.0.0.300\"} | 400 | address",
        "POST | /vips/ | {\"name\":\"x\"} | 400 | address",
        "POST | /vips/ | {\"address\":\"10.0.0.7\",\"port\":65536} | 400 | port",
        "POST | /vips/ | {\"address\":\"10.0.0.7\",\"port\":80.5} | 400 | port",
        "POST | /vips/ | {\"address\":\"10.0.0.7\",\"lb_method\":\"best\"} | 400 | lb_method",
        "POST | /vips/ | {\"address\":\"10.0.0.7\",\"lb_method\":\"SL-PX\"} | 400 | lb_method",
        "POST | /vips/ | {\"id\":\"a/b\",\"address\":\"10.0.0.7\"} | 400 | id",
        "POST | /vips/ | {\"id\":\"v\",\"address\":\"10.0.0.7\"} | 409 | id",
        "POST | /vips/ | {\"address\":\"10.0.0.100\",\"port\":\"80\",\"protocol\":\"TCP\"} | 409 |"
            + " address",
        "PUT | /vips/v | {\"id\":\"w\"} | 400 | id",
        "POST | /pools/ | {\"vip_id\":\"none\"} | 422 | vip_id",
        "POST | /pools/ | {\"vip_id\":\"v\"} | 409 | vip_id",
        "PUT | /pools/p | {\"protocol\":\"udp\"} | 422 | protocol",
        "POST | /members/ | {\"address\":\"10.0.0.9\",\"pool_id\":\"none\"} | 422 | pool_id",
        "POST | /members/ | {\"address\":\"10.0.0.1\",\"port\":80,\"pool_id\":\"p\"} | 409 |"
            + " address",
        "POST | /members/ | {\"address\":\"10.0.0.100\"} | 409 | address",
        "DELETE | /services/default | | 409 | ",
        "PUT | /vips/v | {\"allowed_sources\":[]} | 400 | allowed_sources",
        "PUT | /vips/v | {\"allowed_sources\":[\"10.0.0.1/8\"]} | 400 | allowed_sources",
        "PUT | /vips/v | {\"allowed_sources\":{\"a\":\"10.0.0.0/8\"}} | 400 | allowed_sources",
        "PUT | /vips/v | {\"connection_limit\":0} | 400 | connection_limit",
        "PUT | /vips/v | {\"placement\":\"eager\"} | 400 | placement",
        "PUT | /vips/v | {\"placement\":\"tracked\",\"protocol\":null} | 400 | protocol",
        "PUT | /vips/v | {\"placement\":\"tracked\",\"port\":null} | 400 | port",
        "PUT | /vips/v | {\"placement\":\"proactive\",\"connection_limit\":1} | 400 |"
            + " connection_limit",
        "PUT | /vips/v | {\"port\":[80]} | 400 | port",
        "PUT | /vips/v | {\"port\":{\"port\":80}} | 400 | port",
        "PUT | /pools/p | {\"session_persistence\":{\"type\":\"HTTP_COOKIE\"}} | 400 |"
            + " session_persistence",
        "PUT | /pools/p | {\"session_persistence\":{\"timeout\":60}} | 400 | session_persistence",
        "PUT | /pools/p | {\"session_persistence\":{\"type\":\"SOURCE_IP\",\"timeout\":0}} | 400 |"
            + " session_persistence",
        "PUT | /pools/p | {\"session_persistence\":{\"type\":\"SOURCE_IP\",\"colour\":1}} | 400 |"
            + " session_persistence",
        "PUT | /pools/p | {\"session_persistence\":{\"type\":{\"a\":1}}} | 400 |"
            + " session_persistence.type",
        "PUT | /pools/p | {\"slow_start\":3601} | 400 | slow_start",
        "PUT | /members/m1 | {\"backup\":\"perhaps\"} | 400 | backup",
        "PUT | /members/m1 | {\"weight\":true} | 400 | weight",
      })
  void errors_haveTheirStatusAndNameTheField(
      String method, String path, String body, int status, String field) throws Exception {
    setUpPool();
    Answer answer = server.send(method, path, body);
    assertEquals(status, answer.status(), answer.text());
    assertEquals(2, answer.json().size());
    assertTrue(answer.error().length() > 10, answer.text());
    assertTrue(answer.json().has("field"), answer.text());
    assertEquals(field == null ? "null" : field, answer.field());
    assertFalse(answer.text().contains("com.fasterxml") || answer.text().contains("[Source"));
    assertEquals(1, server.get("/vips/").json().size());
    assertEquals(1, server.get("/pools/").json().size());
    assertEquals(2, server.get("/members/").json().size());
  }

  @Test
  void placement_isShown_reset_andExcludesFieldsOfPoolAndMembers() throws Exception {
    setUpPool();
    Answer proactive = server.put("/vips/v", "{\"placement\":\"proactive\"}");
    assertEquals("proactive", proactive.json().path("placement").asText());
    assertEquals(proactive.json(), server.put("/vips/v", proactive.text()).json());
    assertRefused(
        422, "session_persistence", "/pools/p", "{\"session_persistence\":\"SOURCE_IP\"}");
    assertRefused(422, "connection_limit", "/members/m1", "{\"connection_limit\":5}");
    assertRefused(409, "address", "/members/m3", "{\"address\":\"10.0.0.1\",\"pool_id\":\"p\"}");
    Answer reset = server.put("/vips/v", "{\"placement\":null}");
    assertEquals("reactive", reset.json().path("placement").asText());
    assertEquals(200, server.put("/members/m1", "{\"connection_limit\":5}").status());
    assertRefused(422, "placement", "/vips/v", "{\"placement\":\"proactive\"}");
  }

  private static void assertRefused(int status, String field, String path, String body)
      throws Exception {
    Answer answer = server.put(path, body);
    assertEquals(status, answer.status(), answer.text());
    assertEquals(field, answer.field(), answer.text());
  }

  @Test
  void malformedJson_isShownWhereItIs() throws Exception {
    Answer answer = server.post("/vips/", "{\"id\":\"1\",\n \"name\" \"x\"}");
    assertEquals(400, answer.status());
    assertTrue(answer.error().contains("line 2, column"), answer.error());
  }

  @Test
  void deepNesting_isRefused() throws Exception {
    assertEquals(400, server.post("/vips/", "{\"a\":" + "[".repeat(60_000)).status());
    assertEquals(400, server.post("/vips/", "[".repeat(60_000)).status());
    assertEquals(400, server.post("/vips/", "{\"a\":".repeat(10_000)).status());
  }

  @ParameterizedTest
  @ValueSource(ints = {65 * 1024, 500 * 1024})
  void largeBody_isRefused(int size) throws Exception {
    Answer answer = server.post("/vips/", "{\"name\":\"" + "x".repeat(size) + "\"}");
    assertEquals(413, answer.status());
    assertEquals(0, server.get("/vips/").json().size());
  }

  @Test
  void methodThatIsNotThere_isAnsweredWithThoseThatAre() throws Exception {
    Answer answer = server.delete("/vips/");
    assertEquals(405, answer.status());
    List<String> allowed = new ArrayList<>();
    answer.response().headers().allValues("Allow").stream()
        .flatMap(value -> List.of(value.split(",\\s*")).stream())
        .sorted()
        .forEach(allowed::add);
    assertEquals(List.of("GET", "POST", "PUT"), allowed);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "text/plain", "application/json", "application/xml; charset=x"})
  void bodyIsJson_whateverTheContentTypeSays(String type) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.uri("/vips/"))
            .POST(BodyPublishers.ofString("{\"address\":\"10.0.0.100\"}"));
    if (!type.isEmpty()) {
      request.header("Content-Type", type);
    }
    Answer answer = server.send(request.build());
    assertEquals(201, answer.status(), answer.text());
    assertTrue(
        answer
            .response()
            .headers()
            .firstValue("Content-Type")
            .orElse("")
            .startsWith("application/json"));
  }

  @Test
  void textBeyondAscii_comesBackAsItWent() throws Exception {
    Answer answer = server.post("/pools/", "{\"id\":\"p\",\"name\":\"Wäb 負荷\"}");
    assertEquals("Wäb 負荷", answer.json().path("name").asText());
    assertEquals("Wäb 負荷", server.get("/pools/p").json().path("name").asText());
  }

  @Test
  void head_isAnsweredLikeGetWithoutBody() throws Exception {
    Answer answer = server.send("HEAD", "/vips/", null);
    assertEquals(200, answer.status());
    assertEquals("", answer.text());
  }

  @Test
  void namesInFloodlightsSpelling_areUnderstood() throws Exception {
    server.post("/vips/", "{\"id\":\"1\",\"address\":\"10.0.0.100\",\"lbMethod\":\"WEIGHTED_RR\"}");
    assertEquals("WRR+SPH", server.get("/vips/1").json().path("lb_method").asText());
    assertEquals(201, server.post("/pools/", "{\"id\":\"1\",\"vipId\":1}").status());
    assertEquals(201, server.post("/members/", "{\"address\":\"10.0.0.1\",\"poolId\":1}").status());
    assertEquals(
        201,
        server.post("/services/", "{\"name\":\"x\",\"port\":1,\"algorithm\":\"RR\"}").status());
  }

  /** Floodlight 1.x reads monitors only with a wrapper, later ones only without. */
  @Test
  void monitorInFloodlightsForms_isUnderstood() throws Exception {
    server.put("/pools/p", "{}");
    Answer wrapped =
        server.post(
            "/health_monitors/",
            "{\"monitor\":{\"id\":\"m\",\"name\":\"m\",\"type\":\"6\",\"delay\":\"4\","
                + "\"timeout\":1,\"network_id\":\"n\",\"status\":0,\"protocol\":6,\"address\":0}}");
    assertEquals(201, wrapped.status(), wrapped.text());
    assertEquals("TCP", wrapped.json().path("type").asText());
    assertEquals(4, wrapped.json().path("delay").asInt());
    Answer put = server.put("/health_monitors/m/", "{\"monitor\":{\"id\":\"m\",\"delay\":7}}");
    assertEquals(7, put.json().path("delay").asInt(), put.text());
    Answer ping =
        server.post(
            "/pools/p/health_monitors", "{\"id\":\"n\",\"type\":\"ICMP\",\"tenant_id\":\"t\"}");
    assertEquals("PING", ping.json().path("type").asText(), ping.text());
    assertEquals("p", ping.json().path("pool_id").asText());
    assertRefused(400, "monitor", "/health_monitors/x", "{\"monitor\":{},\"type\":\"TCP\"}");
    assertRefused(
        400, "monitor.delay", "/health_monitors/x", "{\"monitor\":{\"type\":1,\"delay\":[]}}");
    assertRefused(400, "type", "/health_monitors/x", "{\"type\":17}");
    assertRefused(400, "monitor", "/vips/x", "{\"monitor\":{}}");
  }

  /** Floodlight's answers have numbers. */
  @ParameterizedTest
  @CsvSource({"6,tcp", "'\"6\"',tcp", "17,udp", "'\"17\"',udp", "1,icmp"})
  void protocolAsANumber_isUnderstood(String number, String name) throws Exception {
    Answer vip =
        server.post(
            "/vips/",
            "{\"address\":\"10.0.0.100\",\"port\":\"8\",\"tenant_id\":\"t\",\"network_id\":\"n\","
                + "\"protocol\":"
                + number
                + "}");
    assertEquals(name, vip.json().path("protocol").asText(), vip.text());
    Answer pool = server.post("/pools/", "{\"protocol\":" + number + "}");
    assertEquals(name, pool.json().path("protocol").asText(), pool.text());
    assertRefused(400, "protocol", "/pools/x", "{\"protocol\":132}");
    assertRefused(400, "protocol", "/pools/x", "{\"protocol\":\"06\"}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PUT", "POST"})
  void weightInThePath_isSet(String method) throws Exception {
    server.post("/members/", "{\"id\":\"m\",\"address\":\"10.0.0.1\",\"status\":0}");
    Answer set = server.send(method, "/members/m/7", null);
    assertEquals(200, set.status(), set.text());
    assertEquals(7, set.json().path("weight").asInt());
    assertEquals(7, server.get("/members/m").json().path("weight").asInt());
    assertEquals(9, server.send(method, "/members/m/9/", "").json().path("weight").asInt());
    Answer wrong = server.send(method, "/members/m/heavy", null);
    assertEquals(400, wrong.status());
    assertEquals("weight", wrong.field());
    assertEquals(404, server.send(method, "/members/nobody/7", null).status());
    assertEquals(405, server.get("/members/m/7").status());
  }

  @Test
  void sameServiceTwice_isFine_aDifferentOneForThePortIsNot() throws Exception {
    String http = "{\"service_name\":\"HTTP\",\"port\":80,\"algorithm\":\"LC\"}";
    Answer first = server.post("/services/", http);
    Answer second = server.post("/services/", http);
    assertEquals(201, first.status());
    assertEquals(200, second.status());
    assertEquals(first.json(), second.json());
    Answer other = server.post("/services/", "{\"port\":80,\"algorithm\":\"RR\"}");
    assertEquals(409, other.status());
    assertEquals("port", other.field());
  }

  /** Floodlight's defect 2. */
  @Test
  void twoPortsOfOneAddress_areTwoVips() throws Exception {
    assertEquals(201, server.post("/vips/", "{\"address\":\"10.0.0.100\",\"port\":80}").status());
    assertEquals(201, server.post("/vips/", "{\"address\":\"10.0.0.100\",\"port\":443}").status());
    assertEquals(2, server.get("/vips/").json().size());
  }

  @Test
  void writeThatCannotBeStored_isAnError_andChangesNothing() throws Exception {
    RestServer unlucky = new RestServer(new FullDisk());
    try {
      Answer answer = unlucky.post("/vips/", "{\"address\":\"10.0.0.100\"}");
      assertEquals(500, answer.status());
      assertTrue(answer.error().contains("could not be stored"), answer.error());
      assertEquals("[]", unlucky.get("/vips/").text());
    } finally {
      unlucky.close();
    }
  }

  /** Where nothing can be saved. */
  private static final class FullDisk implements Store {
    @Override
    public <T> Revisioned<T> read(Document<T> document) {
      return new Revisioned<>(0, Optional.empty());
    }

    @Override
    public <T> Swap<T> compareAndSet(Document<T> document, Revisioned<T> expected, Optional<T> next)
        throws IOException {
      throw new IOException("No space left on device");
    }

    @Override
    public <T> Watch watch(Document<T> document, Revisioned<T> since, Listener<T> listener) {
      return () -> {};
    }

    @Override
    public String where(Document<?> document) {
      return "a full disk";
    }

    @Override
    public void close() {}
  }

  @Test
  void changeThatIsNotInForceYet_is202AndSaysSo() throws Exception {
    server.effect = CatalogEffect.PENDING;
    try {
      Answer made = server.post("/vips/", "{\"id\":\"v\",\"address\":\"10.0.0.100\"}");
      assertEquals(202, made.status());
      assertEquals("v", made.json().path("id").asText());
      assertEquals("false", made.json().path("in_force").toString());
      assertEquals(202, server.put("/vips/v", "{\"name\":\"w\"}").status());
      assertEquals(200, server.get("/vips/v").status());
      Answer gone = server.delete("/vips/v");
      assertEquals(202, gone.status());
      assertEquals("v", gone.json().path("id").asText());
      assertEquals(404, server.delete("/vips/v").status());
    } finally {
      server.effect = CatalogEffect.IN_FORCE;
    }
  }

  @Test
  void changeThatCouldNotBePutInForce_isAnError() throws Exception {
    server.effect = CatalogEffect.FAILED;
    try {
      Answer made = server.post("/vips/", "{\"id\":\"v\",\"address\":\"10.0.0.100\"}");
      assertEquals(500, made.status());
      assertEquals(
          "the change is stored, but could not be applied; the log says why",
          made.json().path("error").asText());
    } finally {
      server.effect = CatalogEffect.IN_FORCE;
    }
    assertEquals(200, server.get("/vips/v").status(), "it is stored");
  }

  @Test
  void module_isFoundByTheModuleLoader() {
    assertTrue(
        ServiceLoader.load(IFloodlightModule.class).stream()
            .anyMatch(provider -> provider.type().equals(BalancerRestModule.class)));
  }

  private void setUpPool() throws Exception {
    server.post(
        "/vips/", "{\"id\":\"v\",\"protocol\":\"tcp\",\"address\":\"10.0.0.100\",\"port\":80}");
    server.post("/pools/", "{\"id\":\"p\",\"vip_id\":\"v\"}");
    server.post(
        "/members/", "{\"id\":\"m1\",\"address\":\"10.0.0.1\",\"port\":80,\"pool_id\":\"p\"}");
    server.post(
        "/members/", "{\"id\":\"m2\",\"address\":\"10.0.0.2\",\"port\":80,\"pool_id\":\"p\"}");
  }
}
