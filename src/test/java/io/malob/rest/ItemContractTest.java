package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.malob.rest.RestServer.Answer;
import io.malob.store.MemoryStore;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writing twice, writing at the same time, and reading a lot. */
class ItemContractTest {
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

  private static Answer ifMatch(String method, String path, String tag, String body)
      throws Exception {
    return send(method, path, "If-Match", tag, body);
  }

  private static Answer send(String method, String path, String header, String value, String body)
      throws Exception {
    return server.send(
        HttpRequest.newBuilder(server.uri(path))
            .header(header, value)
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build());
  }

  private static String tag(Answer answer) {
    return answer.response().headers().firstValue("ETag").orElseThrow();
  }

  @Test
  void putOfANewId_makesItAndAgainChangesNothing() throws Exception {
    String body = "{\"address\":\"10.0.0.100\",\"port\":80}";

    Answer made = server.put("/vips/web", body);
    Answer again = server.put("/vips/web", body);

    assertEquals(201, made.status());
    assertEquals("web", made.json().get("id").asText());
    assertEquals(200, again.status());
    assertEquals(made.json(), again.json());
    assertEquals(1, server.get("/vips").json().size());
  }

  @Test
  void putOfANewIdBelowAPool_isInThePool() throws Exception {
    server.put("/pools/p", "{}");

    assertEquals(201, server.put("/pools/p/members/m", "{\"address\":\"10.0.0.1\"}").status());

    assertEquals("p", server.get("/members/m").json().get("pool_id").asText());
    assertEquals(
        400,
        server.put("/pools/p/members/n", "{\"address\":\"10.0.0.2\",\"pool_id\":\"q\"}").status());
  }

  @Test
  void putOfANewIdThatIsNotPossible_makesNothing() throws Exception {
    assertEquals("id", server.put("/vips/web", "{\"id\":\"v\",\"address\":\"10.0.0.9\"}").field());
    assertEquals("id", server.put("/vips/a%20b", "{\"address\":\"10.0.0.9\"}").field());
    assertEquals("address", server.put("/vips/web", "{}").field());
    assertEquals(0, server.get("/vips").json().size());
  }

  /** A tag is of the content, not of a revision: what the client has seen is there again. */
  @Test
  void changeOfWhatIsAgainAsTheClientHasSeenIt_isMade() throws Exception {
    String first = tag(server.put("/members/m", "{\"address\":\"10.0.0.1\"}"));
    server.put("/members/m", "{\"weight\":2}");
    String again = tag(server.put("/members/m", "{\"weight\":1}"));
    server.put("/members/other", "{\"address\":\"10.0.0.2\"}");

    assertEquals(first, again);
    assertEquals(200, ifMatch("PUT", "/members/m", first, "{\"weight\":3}").status());
  }

  @Test
  void changeOfWhatHasChangedSince_isRefused() throws Exception {
    String first = tag(server.put("/members/m", "{\"address\":\"10.0.0.1\"}"));
    assertEquals(first, tag(server.get("/members/m")));
    Answer mine = ifMatch("PUT", "/members/m", first, "{\"weight\":2}");
    assertEquals(200, mine.status());

    Answer theirs = ifMatch("PUT", "/members/m", first, "{\"weight\":3}");
    Answer deletion = ifMatch("DELETE", "/members/m", first, null);

    assertEquals(412, theirs.status());
    assertEquals("If-Match", theirs.field());
    assertEquals(412, deletion.status());
    assertEquals(2, server.get("/members/m").json().get("weight").asInt());
    assertNotEquals(first, tag(mine));
    assertEquals(200, ifMatch("DELETE", "/members/m", "\"x\", " + tag(mine), null).status());
  }

  @Test
  void anyState_isNoItem() throws Exception {
    assertEquals(412, ifMatch("PUT", "/vips/v", "*", "{\"address\":\"10.0.0.9\"}").status());
    server.put("/vips/v", "{\"address\":\"10.0.0.9\"}");
    assertEquals(200, ifMatch("PUT", "/vips/v", "*", "{\"port\":80}").status());
  }

  @Test
  void itemThatMustBeNew_isNotChanged() throws Exception {
    Answer made = send("PUT", "/vips/v", "If-None-Match", "*", "{\"address\":\"10.0.0.9\"}");
    assertEquals(201, made.status());
    Answer again = send("PUT", "/vips/v", "If-None-Match", "*", "{\"address\":\"10.0.0.10\"}");
    assertEquals(412, again.status());
    assertEquals("If-None-Match", again.field());
    Answer seen = send("PUT", "/vips/v", "If-None-Match", "W/" + tag(made), "{\"port\":80}");
    assertEquals(412, seen.status());
    assertEquals("10.0.0.9", server.get("/vips/v").json().get("address").asText());
    assertEquals(200, send("PUT", "/vips/v", "If-None-Match", "\"x\"", "{\"port\":80}").status());
    assertEquals(412, send("DELETE", "/vips/v", "If-None-Match", "*", null).status());
  }

  @Test
  void newItem_isAtItsLocation() throws Exception {
    for (String slash : List.of("", "/")) {
      Answer made = server.post("/pools" + slash, "{}");
      String id = made.json().get("id").asText();
      assertEquals(Optional.of(server.uri("/pools/" + id).toString()), location(made));
    }
    server.put("/pools/p", "{}");
    Answer member = server.post("/pools/p/members/", "{\"address\":\"10.0.0.1\"}");
    URI at = URI.create(location(member).orElseThrow());
    assertEquals(member.json(), server.send(HttpRequest.newBuilder(at).build()).json());
    Answer again = server.post("/services", "{\"port\":81,\"algorithm\":\"RR\"}");
    assertEquals(201, again.status());
    Answer known = server.post("/services", "{\"port\":81,\"algorithm\":\"RR\"}");
    assertEquals(200, known.status());
    assertEquals(Optional.empty(), location(known));
  }

  private static Optional<String> location(Answer answer) {
    return answer.response().headers().firstValue("Location");
  }

  /** What a pool is shown with belongs to its state. */
  @Test
  void tagOfAPool_changesWithItsMembers() throws Exception {
    String before = tag(server.put("/pools/p", "{}"));

    server.put("/pools/p/members/m", "{\"address\":\"10.0.0.1\"}");

    assertEquals(412, ifMatch("DELETE", "/pools/p", before, null).status());
  }

  @Test
  void pages_followEachOtherToTheEnd() throws Exception {
    for (int i = 1; i <= 5; i++) {
      server.put("/pools/p" + i, "{}");
    }
    List<String> ids = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    URI page = server.uri("/pools?limit=2");
    while (page != null) {
      Answer answer = server.send(HttpRequest.newBuilder(page).build());
      answer.json().forEach(each -> ids.add(each.get("id").asText()));
      sizes.add(answer.json().size());
      String link = answer.response().headers().firstValue("Link").orElse(null);
      assertTrue(link == null || link.endsWith("; rel=\"next\""), link);
      page = link == null ? null : page.resolve(link.substring(1, link.indexOf('>')));
    }

    assertEquals(List.of("p1", "p2", "p3", "p4", "p5"), ids);
    assertEquals(List.of(2, 2, 1), sizes);
    assertEquals(2, server.get("/pools?marker=p3").json().size());
  }

  /** Pages are in the order of ids, so a deleted marker still has its place. */
  @Test
  void pages_followEachOtherWhileTheirItemsAreDeleted() throws Exception {
    for (String id : List.of("e", "b", "d", "a", "c")) {
      server.put("/pools/" + id, "{}");
    }
    List<String> ids = new ArrayList<>();
    Answer page = server.get("/pools?limit=2");
    while (page.json().size() > 0) {
      for (JsonNode each : page.json()) {
        ids.add(each.get("id").asText());
        server.delete("/pools/" + each.get("id").asText());
      }
      server.put("/pools/aa" + ids.size(), "{}");
      page = server.get("/pools?limit=2&marker=" + ids.get(ids.size() - 1));
      assertEquals(200, page.status(), page.text());
    }
    assertEquals(List.of("a", "b", "c", "d", "e"), ids);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/pools?limit=0",
        "/pools?limit=1001",
        "/pools?limit=x",
        "/pools?size=2",
        "/pools?limit=1&limit=2",
        "/services/default?limit=1",
        "/pools?limit"
      })
  void wrongParameter_isRefusedByItsName(String path) throws Exception {
    Answer answer = server.get(path);
    assertEquals(400, answer.status());
    String parameter = path.substring(path.indexOf('?') + 1).split("=", 2)[0];
    assertEquals(parameter, answer.field());
  }
}
