package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.rest.RestServer.Answer;
import io.malob.state.catalog.CatalogStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StateRestTest {
  private RestServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RestServer(CatalogStore.inMemory());
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  @Test
  void paths_areSwitchesInOrder() throws Exception {
    Answer answer = server.sendTo("GET", "/wm/malob/paths/", null);

    assertEquals(200, answer.status());
    assertEquals(
        "[{\"label\":\"0a:4d:4c:00:00:07\",\"switches\":[\"00:00:00:00:00:00:00:01\","
            + "\"00:00:00:00:00:00:00:02\"],\"connections\":5,\"active\":4}]",
        answer.text());
  }

  @Test
  void links_tellTheirEndsAndWhatIsOnThem() throws Exception {
    assertEquals(
        "[{\"src-switch\":\"00:00:00:00:00:00:00:01\",\"src-port\":3,"
            + "\"dst-switch\":\"00:00:00:00:00:00:00:02\",\"dst-port\":4,\"active\":4}]",
        server.sendTo("GET", "/wm/malob/links", null).text());
  }

  @Test
  void refusals_areCountedByReason() throws Exception {
    assertEquals("{\"no_vip\":3}", server.sendTo("GET", "/wm/malob/refusals", null).text());
  }

  @Test
  void counters_showWhatSwitchesDidNotTake() throws Exception {
    assertEquals(
        "{\"open_connections\":5,\"dormant_connections\":7,\"unsent_batches\":2,"
            + "\"refused_rules\":{\"00:00:00:00:00:00:00:01\":{\"FLOW_MOD_FAILED/TABLE_FULL\":3}}}",
        server.sendTo("GET", "/wm/malob/counters", null).text());
  }

  @Test
  void audits_areCounted() throws Exception {
    assertEquals(
        "{\"tables_read\":9,\"tables_reset\":1,\"connections_adopted\":5,"
            + "\"connections_pending\":2,\"connections_slept\":3,\"connections_restored\":4,"
            + "\"rules_removed\":6}",
        server.sendTo("GET", "/wm/malob/audits", null).text());
  }

  @Test
  void anythingElse_isNotFound() throws Exception {
    Answer answer = server.sendTo("GET", "/wm/malob/nothing", null);

    assertEquals(404, answer.status());
    assertEquals(
        "there is nothing at /nothing here, only paths, links, refusals, counters, audits, reports",
        answer.error());
  }
}
