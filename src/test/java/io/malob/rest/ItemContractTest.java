package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.rest.RestServer.Answer;
import io.malob.store.MemoryStore;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
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
    return server.send(
        HttpRequest.newBuilder(server.uri(path))
            .header("If-Match", tag)
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/pools?limit=0", "/pools?limit=1001", "/pools?limit=x", "/pools?marker=gone",
        "/pools?size=2", "/pools?limit=1&limit=2", "/services/default?limit=1", "/pools?limit"
      })
  void wrongParameter_isRefusedByItsName(String path) throws Exception {
    Answer answer = server.get(path);
    assertEquals(400, answer.status());
    String parameter = path.substring(path.indexOf('?') + 1).split("=", 2)[0];
    assertEquals(parameter, answer.field());
  }
}
