package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.malob.rest.RestServer.Answer;
import io.malob.store.MemoryStore;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole catalog as one tree, in JSON and in YAML. */
class ConfigRestTest {
  private static final String CONFIG = "/wm/malob/config";
  private static final String TREE =
      """
      {"vips": [{"id": "web", "protocol": "tcp", "address": "10.0.0.100", "port": 80}],
       "pools": [{"id": "servers", "vipId": "web"}],
       "members": [{"id": "a", "address": "10.0.0.1", "pool_id": "servers"},
                   {"id": "b", "address": "10.0.0.2", "pool_id": "servers", "weight": "3"}]}
      """;

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
  void clear() throws Exception {
    server.clear();
  }

  private static Answer post(String query, String body) throws Exception {
    return server.sendTo("POST", CONFIG + query, body);
  }

  private static HttpResponse<String> yaml(String method, String body) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(server.fullUri(CONFIG))
                .header("Content-Type", "application/yaml")
                .header("Accept", "application/yaml")
                .method(
                    method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build(),
            BodyHandlers.ofString());
  }

  @Test
  void tree_isPutInPlaceAtOnceAndToldAsChanges() throws Exception {
    Answer answer = post("", TREE);

    assertEquals(200, answer.status(), answer.text());
    JsonNode changes = answer.json().get("changes");
    assertEquals(4, changes.size());
    assertEquals("vip", changes.get(0).get("kind").asText());
    assertEquals("web", changes.get(0).get("id").asText());
    assertEquals("add", changes.get(0).get("action").asText());
    assertTrue(changes.get(0).get("before").isNull());
    assertEquals(80, changes.get(0).get("after").get("port").asInt());
    assertEquals(3, server.get("/members/b").json().get("weight").asInt());
    assertEquals("servers", server.get("/members/a").json().get("pool_id").asText());
  }

  @Test
  void whatIsShown_canBePutBackWithoutAChange() throws Exception {
    post("", TREE);
    Answer shown = server.sendTo("GET", CONFIG, null);

    assertEquals(1, shown.json().get("services").size());
    assertEquals(0, post("", shown.text()).json().get("changes").size());
    assertEquals(200, server.sendTo("PUT", CONFIG, shown.text()).status());
  }

  @Test
  void dryRun_changesNothing() throws Exception {
    Answer answer = post("?dry_run=true", TREE);

    assertEquals(4, answer.json().get("changes").size());
    assertEquals(0, server.get("/vips").json().size());
  }

  @Test
  void treeWithOneMistake_changesNothingAndNamesItsPlace() throws Exception {
    Answer answer = post("", TREE.replace("10.0.0.2", "10.0.0.300"));

    assertEquals(400, answer.status());
    assertEquals("members[1].address", answer.field());
    assertEquals(0, server.get("/vips").json().size());
  }

  @Test
  void placementThatAPoolExcludes_isNamedWithItsPlace() throws Exception {
    Answer answer =
        post(
            "",
            """
            {"vips": [{"id": "v", "address": "10.0.0.100", "protocol": "tcp", "port": 80,
                       "placement": "proactive"}],
             "pools": [{"id": "p", "vip_id": "v", "session_persistence": "SOURCE_IP"}]}
            """);

    assertEquals(422, answer.status());
    assertEquals("vips[0].placement", answer.field());
    assertEquals(0, server.get("/vips").json().size());
  }

  @Test
  void changedMeanwhile_isRefusedWithIfMatch() throws Exception {
    Answer seen = server.sendTo("GET", CONFIG, null);
    server.put("/vips/other", "{\"address\":\"10.0.0.9\"}");

    Answer answer =
        server.send(
            HttpRequest.newBuilder(server.fullUri(CONFIG))
                .header("If-Match", seen.response().headers().firstValue("ETag").orElseThrow())
                .POST(BodyPublishers.ofString(TREE))
                .build());

    assertEquals(412, answer.status());
    assertEquals(1, server.get("/vips").json().size());
  }

  @Test
  void whatHasParts_isTheSameWhenItIsSentBack() throws Exception {
    Answer answer =
        post(
            "",
            """
            {"vips": [{"id": "v", "address": "10.0.0.100", "allowed_sources": ["10.0.0.0/8"]}],
             "pools": [{"id": "p", "vip_id": "v",
                        "session_persistence": {"type": "SOURCE_IP", "timeout": 60}}],
             "members": [{"id": "m", "address": "10.0.0.1", "pool_id": "p", "backup": true}]}
            """);
    assertEquals(200, answer.status(), answer.text());

    Answer again = post("", server.sendTo("GET", CONFIG, null).text());

    assertEquals(200, again.status(), again.text());
    assertEquals(0, again.json().get("changes").size());
    assertTrue(server.get("/members/m").json().get("backup").asBoolean());
  }

  @Test
  void yaml_saysTheSameAsJson() throws Exception {
    HttpResponse<String> posted =
        yaml(
            "POST",
            """
            vips:
              - {id: web, protocol: tcp, address: 10.0.0.100, port: 80}
            pools:
              - id: 1
                vip_id: web
                lb_method: null
            """);
    assertEquals(200, posted.statusCode(), posted.body());
    assertEquals("web", server.get("/pools/1").json().get("vip_id").asText());

    HttpResponse<String> shown = yaml("GET", null);

    assertTrue(
        shown.headers().firstValue("Content-Type").orElse("").startsWith("application/yaml"));
    assertTrue(shown.body().contains("- id: '1'\n"), shown.body());
    Answer unchanged =
        server.send(
            HttpRequest.newBuilder(server.fullUri(CONFIG))
                .header("Content-Type", "application/yaml; charset=utf-8")
                .POST(BodyPublishers.ofString(shown.body()))
                .build());
    assertEquals(0, unchanged.json().get("changes").size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vips: [",
        "{vips: [], vips: []}",
        "a: &a [1]\nb: [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]",
        "--- {}\n--- {}",
      })
  void yamlThatIsNotSound_isRefused(String body) throws Exception {
    HttpResponse<String> answer = yaml("POST", body);
    assertEquals(400, answer.statusCode(), answer.body());
    assertTrue(answer.body().contains("not valid YAML"), answer.body());
  }

  @Test
  void deepYaml_isRefused() throws Exception {
    assertEquals(400, yaml("POST", "[".repeat(60_000)).statusCode());
    assertEquals(400, yaml("POST", "{a: ".repeat(30_000)).statusCode());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "- | [] | 400 | null",
        "- | {\"vip\":[]} | 400 | vip",
        "- | {\"vips\":{}} | 400 | vips",
        "- | {\"vips\":[1]} | 400 | vips[0]",
        "- | {\"vips\":[],\"vips\":[]} | 400 | vips",
        "- | {\"vips\":[{\"id\":\"v\",\"address\":[\"10.0.0.1\"]}]} | 400 | vips[0].address",
        "- | {\"vips\":[{\"id\":\"v\",\"id\":\"w\"}]} | 400 | vips[0].id",
        "- | {\"vips\":[{\"id\":\"v\",\"colour\":\"red\"}]} | 400 | vips[0].colour",
        "- | {\"vips\":[{\"id\":{\"a\":1}}]} | 400 | vips[0].id",
        "- | {\"vips\":[]} x | 400 | null",
        "?dry_run=maybe | {} | 400 | dry_run",
        "?dryrun=true | {} | 400 | dryrun",
      })
  void mistake_isRefusedAtItsPlace(String query, String body, int status, String field)
      throws Exception {
    Answer answer = post(query == null ? "" : query, body);
    assertEquals(status, answer.status(), answer.text());
    assertEquals(field, answer.field(), answer.text());
  }

  /** A thousand members are more than the usual 64 KiB. */
  @Test
  void largeTree_isTaken() throws Exception {
    StringBuilder members = new StringBuilder();
    for (int i = 0; i < 1_000; i++) {
      members
          .append(i == 0 ? "" : ",")
          .append(
              String.format(
                  "{\"id\":\"member-%d\",\"address\":\"10.1.%d.%d\",\"pool_id\":\"p\",\"weight\":1}",
                  i, i / 250, i % 250 + 1));
    }
    String tree = "{\"pools\":[{\"id\":\"p\"}],\"members\":[" + members + "]}";

    assertEquals(1_001, post("", tree).json().get("changes").size());

    assertEquals(1_000, server.get("/pools/p").json().get("members").size());
  }
}
