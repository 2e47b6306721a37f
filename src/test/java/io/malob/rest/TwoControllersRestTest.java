package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.malob.rest.RestServer.Answer;
import io.malob.state.catalog.Catalog;
import io.malob.store.MemoryStore;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two controllers on one store, which tells neither of them what the other one changes. */
class TwoControllersRestTest {
  private final Queue<Runnable> untold = new ConcurrentLinkedQueue<>();
  private RestServer left;
  private RestServer right;

  @BeforeEach
  void start() throws Exception {
    MemoryStore store = new MemoryStore(untold::add);
    left = new RestServer(store);
    right = new RestServer(store);
  }

  @AfterEach
  void stop() throws Exception {
    left.close();
    right.close();
  }

  private void tell() {
    while (!untold.isEmpty()) {
      untold.remove().run();
    }
  }

  private static Answer pool(RestServer server, String id) throws Exception {
    return server.post("/pools/", "{\"id\":\"" + id + "\",\"name\":\"first\"}");
  }

  private static Answer rename(RestServer server, String tag, String name) throws Exception {
    return server.send(
        HttpRequest.newBuilder(server.uri("/pools/p"))
            .header("If-Match", tag)
            .PUT(BodyPublishers.ofString("{\"name\":\"" + name + "\"}"))
            .build());
  }

  private static String tag(Answer answer) {
    return answer.response().headers().firstValue("ETag").orElseThrow();
  }

  @Test
  void tagOfOneController_isThatOfTheOther_andWorksThereAtOnce() throws Exception {
    Answer created = pool(left, "p");
    assertEquals(200, rename(right, tag(created), "second").status());
    tell();
    assertEquals(tag(left.get("/pools/p")), tag(right.get("/pools/p")));
    assertNotEquals(tag(created), tag(left.get("/pools/p")));
  }

  @Test
  void changeOfTheOther_makesTheTagOutOfDate() throws Exception {
    Answer created = pool(left, "p");
    tell();
    assertEquals(200, left.put("/pools/p", "{\"name\":\"second\"}").status());
    assertEquals(412, rename(right, tag(created), "third").status());
    assertEquals("second", right.get("/pools/p").json().path("name").asText());
  }

  @Test
  void changeOfAnotherItem_doesNotMakeTheTagOutOfDate() throws Exception {
    Answer created = pool(left, "p");
    tell();
    pool(left, "q");
    assertEquals(200, rename(right, tag(created), "second").status());
  }

  @Test
  void secondCreationOfAName_is409_andOfAnotherName201() throws Exception {
    assertEquals(201, pool(left, "p").status());
    Answer second = pool(right, "p");
    assertEquals(409, second.status(), second.text());
    assertEquals("id", second.json().path("field").asText());
    assertEquals(201, pool(left, "q").status());
    assertEquals(201, pool(right, "r").status());
  }

  @Test
  void itemThatTheOtherHasMade_canBeUsedAtOnce() throws Exception {
    pool(left, "p");
    assertEquals(
        201,
        right
            .post("/members/", "{\"id\":\"m\",\"address\":\"10.0.0.1\",\"pool_id\":\"p\"}")
            .status());
    assertEquals(200, left.delete("/members/m").status());
    assertEquals(404, right.delete("/members/m").status());
    assertEquals(200, right.put("/pools/p", "{\"name\":\"second\"}").status());
  }

  /** Without If-Match, of changes at one time all are made; of one name, one. */
  @Test
  void concurrentCreations_areAllAnsweredRightly() throws Exception {
    List<Future<List<Integer>>> results = new ArrayList<>();
    ExecutorService clients = Executors.newFixedThreadPool(2);
    for (RestServer server : List.of(left, right)) {
      results.add(
          clients.submit(
              () -> {
                List<Integer> statuses = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                  statuses.add(pool(server, "same-" + i).status());
                  assertEquals(
                      201, pool(server, (server == left ? "left-" : "right-") + i).status());
                }
                return statuses;
              }));
    }
    List<Integer> lefts = results.get(0).get();
    List<Integer> rights = results.get(1).get();
    clients.shutdown();
    for (int i = 0; i < 20; i++) {
      assertEquals(201 + 409, lefts.get(i) + rights.get(i));
    }
    tell();
    assertEquals(60, left.catalog().snapshot().pools().size());
    assertEquals(
        Catalog.POOLS.in(left.catalog().snapshot()), Catalog.POOLS.in(right.catalog().snapshot()));
  }
}
