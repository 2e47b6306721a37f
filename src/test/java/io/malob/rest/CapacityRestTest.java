package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.rest.RestServer.Answer;
import io.malob.store.MemoryStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CapacityRestTest {
  private static final String AT = "/wm/malob/capacities";
  private static final String ONE = AT + "/00:00:00:00:00:00:00:01/2";
  private static final String SHOWN =
      "{\"switch\":\"00:00:00:00:00:00:00:01\",\"port\":2,\"mbps\":50.0}";

  private RestServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  @Test
  void capacity_thatIsPosted_isListed() throws Exception {
    assertAnswer(
        201, SHOWN, "POST", AT, "{\"switch\":\"0000000000000001\",\"port\":2,\"mbps\":50}");
    assertAnswer(200, "[" + SHOWN + "]", "GET", AT + "/", null);
    assertAnswer(200, SHOWN, "GET", ONE, null);
  }

  @Test
  void capacity_thatIsPostedTwice_isThereAlready() throws Exception {
    server.sendTo("POST", AT, SHOWN);
    assertAnswer(200, SHOWN, "POST", AT, SHOWN);
    Answer other = server.sendTo("POST", AT, SHOWN.replace("50.0", "60"));
    assertEquals(409, other.status());
    assertEquals(
        "00:00:00:00:00:00:00:01/2 has a capacity of 50.0 Mbit/s already; PUT changes it",
        other.error());
  }

  @Test
  void capacity_thatIsPut_isMadeOrChanged() throws Exception {
    assertAnswer(201, SHOWN, "PUT", ONE, "{\"mbps\":\"50\"}");
    assertAnswer(200, SHOWN.replace("50.0", "0.5"), "PUT", ONE, "{\"mbps\":0.5}");
    assertAnswer(200, SHOWN, "PUT", ONE, SHOWN);
  }

  @Test
  void capacity_thatIsDeleted_isGone() throws Exception {
    server.sendTo("PUT", ONE, "{\"mbps\":50}");
    assertAnswer(200, SHOWN, "DELETE", ONE, null);
    assertEquals(404, server.sendTo("DELETE", ONE, null).status());
    assertEquals(404, server.sendTo("GET", ONE, null).status());
    assertAnswer(200, "[]", "GET", AT, null);
  }

  @ParameterizedTest
  @CsvSource({
    "switch, 1, 1, 50",
    "switch, 00:00:00:00:00:00:00:0g, 1, 50",
    "port, 0000000000000001, 0, 50",
    "port, 0000000000000001, -1, 50",
    "port, 0000000000000001, 4294967040.0, 50",
    "port, 0000000000000001, 4294967041, 50",
    "mbps, 0000000000000001, 1, 0",
    "mbps, 0000000000000001, 1, -5",
    "mbps, 0000000000000001, 1, 1e3",
    "mbps, 0000000000000001, 1, NaN",
    "mbps, 0000000000000001, 1, 10000001",
  })
  void value_thatCannotBe_isNamed(String field, String switchId, String port, String mbps)
      throws Exception {
    Answer answer =
        server.sendTo(
            "POST",
            AT,
            String.format(
                "{\"switch\":\"%s\",\"port\":\"%s\",\"mbps\":\"%s\"}", switchId, port, mbps));
    assertEquals(400, answer.status());
    assertEquals(field, answer.field());
    assertAnswer(200, "[]", "GET", AT, null);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mbps|{\"switch\":\"0000000000000001\",\"port\":1}",
        "port|{\"switch\":\"0000000000000001\",\"mbps\":1}",
        "port|{\"switch\":\"0000000000000001\",\"mbps\":1,\"port\":[1]}",
        "speed|{\"switch\":\"0000000000000001\",\"port\":1,\"mbps\":1,\"speed\":1}",
      })
  void field_thatIsMissingOrUnknown_isNamed(String field, String body) throws Exception {
    Answer answer = server.sendTo("POST", AT, body);
    assertEquals(400, answer.status());
    assertEquals(field, answer.field());
  }

  @Test
  void putOfAnotherPort_isRefused() throws Exception {
    Answer answer = server.sendTo("PUT", ONE, "{\"port\":3,\"mbps\":50}");
    assertEquals(400, answer.status());
    assertEquals("port", answer.field());
    assertEquals(
        "switch",
        server.sendTo("PUT", ONE, "{\"switch\":\"0000000000000002\",\"mbps\":50}").field());
  }

  @Test
  void pathsAndMethods_thatAreNot_areRefused() throws Exception {
    assertEquals(404, server.sendTo("GET", AT + "/0000000000000001", null).status());
    assertEquals(405, server.sendTo("DELETE", AT, null).status());
    assertEquals(405, server.sendTo("POST", ONE, SHOWN).status());
  }

  private void assertAnswer(int status, String text, String method, String path, String body)
      throws Exception {
    Answer answer = server.sendTo(method, path, body);
    assertEquals(text, answer.text());
    assertEquals(status, answer.status());
  }
}
