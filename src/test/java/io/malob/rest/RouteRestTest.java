package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.rest.RestServer.Answer;
import io.malob.state.network.SelfAddresses;
import io.malob.store.MemoryStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouteRestTest {
  private static final String AT = "/wm/malob/routes";
  private static final String ONE = AT + "/10.2.0.0/16";
  private static final String SHOWN = "{\"destination\":\"10.2.0.0/16\",\"next_hop\":\"10.0.0.1\"}";

  private RestServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  private void assertAnswer(int status, String body, String method, String path, String sent)
      throws Exception {
    Answer answer = server.sendTo(method, path, sent);
    assertEquals(status, answer.status(), answer::text);
    assertEquals(body, answer.text());
  }

  @Test
  void route_thatIsPosted_isListed_andAnotherIsAConflict() throws Exception {
    assertAnswer(201, SHOWN, "POST", AT, SHOWN);
    assertAnswer(200, SHOWN, "POST", AT, SHOWN);
    assertAnswer(200, "[" + SHOWN + "]", "GET", AT, null);
    assertAnswer(200, SHOWN, "GET", ONE, null);
    Answer other = server.sendTo("POST", AT, SHOWN.replace("0.0.1\"", "0.0.2\""));
    assertEquals(409, other.status());
    assertEquals("10.2.0.0/16 has the next hop 10.0.0.1 already; PUT changes it", other.error());
  }

  @Test
  void route_isPut_changed_andDeleted() throws Exception {
    assertAnswer(201, SHOWN, "PUT", ONE, "{\"next_hop\":\"10.0.0.1\"}");
    String changed = SHOWN.replace("0.0.1\"", "0.0.2\"");
    assertAnswer(200, changed, "PUT", ONE, changed);
    assertAnswer(200, changed, "DELETE", ONE, null);
    assertEquals(404, server.sendTo("DELETE", ONE, null).status());
    assertEquals(404, server.sendTo("GET", ONE, null).status());
    String ipv6 = "{\"destination\":\"2001:db8:2::/48\",\"next_hop\":\"2001:db8::1\"}";
    assertAnswer(201, ipv6, "PUT", AT + "/2001:db8:2::/48", "{\"next_hop\":\"2001:db8::1\"}");
  }

  @ParameterizedTest
  @CsvSource({
    "destination, 10.2.0.1/16, 10.0.0.1",
    "destination, 10.2.0.0, 10.0.0.1",
    "destination, 10.2.0.0/, 10.0.0.1",
    "destination, '', 10.0.0.1",
    "next_hop, 10.2.0.0/16, 2001:db8::1",
    "next_hop, 10.2.0.0/16, router",
    "next_hop, 10.2.0.0/16, 255.255.255.255",
  })
  void route_thatCannotBe_isRejected(String field, String destination, String nextHop)
      throws Exception {
    Answer answer =
        server.sendTo(
            "POST",
            AT,
            "{\"destination\":\"" + destination + "\",\"next_hop\":\"" + nextHop + "\"}");
    assertEquals(400, answer.status());
    assertEquals(field, answer.error().split(" ", 2)[0]);
    assertAnswer(200, "[]", "GET", AT, null);
  }

  @Test
  void routeByWayOfTheBalancerItself_isRejected() throws Exception {
    server.selfAddresses = SelfAddresses.parse("10.0.0.1/24").orElseThrow();
    assertEquals(409, server.sendTo("POST", AT, SHOWN).status());
  }
}
