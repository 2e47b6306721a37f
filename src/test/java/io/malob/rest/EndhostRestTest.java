package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.json.RejectedException;
import io.malob.rest.RestServer.Answer;
import io.malob.store.MemoryStore;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndhostRestTest {
  private static final String AT = "/wm/malob/endhost";

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
  void configuration_isThereUntilItIsDeleted() throws Exception {
    assertEquals("{\"configured\":false}", server.sendTo("GET", AT, null).text());
    assertEquals(404, server.sendTo("DELETE", AT, null).status());
    assertEquals("{\"configured\":true}", server.sendTo("PUT", AT, "{}").text());
    assertEquals("{\"configured\":false}", server.sendTo("DELETE", AT, null).text());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PUT | '' | {}",
        "PUT | /algorithm | {\"algorithm\":\"RR\"}",
        "PUT | /uplinks/eth0 | {\"capacity_bps\":null}",
        "DELETE | '' |"
      })
  void changeThatIsNotInForceYet_is202AndSaysSo(String method, String what, String body)
      throws Exception {
    server.sendTo("PUT", AT, "{}");
    server.endhost.isBusy = true;
    Answer early = server.sendTo(method, AT + what, body);
    assertEquals(202, early.status());
    assertEquals("{\"configured\":" + method.equals("PUT") + ",\"in_force\":false}", early.text());
    assertEquals(200, server.sendTo("GET", AT, null).status(), "a question is no change");
    server.endhost.isBusy = false;
    server.sendTo("PUT", AT, "{}");
    assertEquals(200, server.sendTo(method, AT + what, body).status());
  }

  @Test
  void requests_comeToTheService() throws Exception {
    server.sendTo("PUT", AT + "/algorithm", "{\"algorithm\":\"RR\"}");
    server.sendTo("PUT", AT + "/uplinks/eth0", "{\"capacity_bps\":null}");
    server.sendTo("GET", AT + "/flows", null);
    server.sendTo("GET", AT + "/flows?limit=7", null);
    assertEquals(
        List.of(
            "algorithm {\"algorithm\":\"RR\"}",
            "capacity of eth0 {\"capacity_bps\":null}",
            "flows 100",
            "flows 7"),
        server.endhost.requests);
  }

  @ParameterizedTest
  @CsvSource({"POST, ''", "GET, /algorithm", "GET, /uplinks/eth0", "PUT, /flows"})
  void methodThatIsNotPossible_isRefused(String method, String what) throws Exception {
    assertEquals(
        405, server.sendTo(method, AT + what, method.equals("GET") ? null : "{}").status());
  }

  @Test
  void whatIsNotThere_isNotFound() throws Exception {
    assertEquals(404, server.sendTo("GET", AT + "/flow", null).status());
  }

  @Test
  void wrongLimit_isRefusedWithItsName() throws Exception {
    Answer answer = server.sendTo("GET", AT + "/flows?limit=0", null);
    assertEquals(400, answer.status());
    assertEquals("limit", answer.field());
  }

  @Test
  void mistakes_haveTheirStatusAndField() throws Exception {
    server.endhost.refusal = RejectedException.invalid("inside.mac", "inside.mac is wrong");
    assertRefused(400, "inside.mac");
    server.endhost.refusal = RejectedException.notFound("there is no uplink \"eth7\"");
    assertRefused(404, null);
    server.endhost.refusal = RejectedException.unprocessable(null, "PUT it first");
    assertRefused(422, null);
  }

  private void assertRefused(int status, String field) throws Exception {
    Answer answer = server.sendTo("PUT", AT + "/uplinks/eth0", "{}");
    assertEquals(status, answer.status());
    assertEquals(field == null ? "null" : field, String.valueOf(answer.field()));
  }
}
