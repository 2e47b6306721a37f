package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.json.RejectedException;
import io.malob.rest.RestServer.Answer;
import io.malob.store.MemoryStore;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MptcpRestTest {
  private static final String AT = "/wm/malob/mptcp";

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
  void plan_isShown() throws Exception {
    Answer answer = server.sendTo("POST", AT + "/plan", "{\"seed\":3}");
    assertEquals(200, answer.status());
    assertEquals("{\"maximum\":15}", answer.text());
    assertEquals(List.of("plan {\"seed\":3}"), server.mptcp.requests);
  }

  @Test
  void planThatIsApplied_isThereUntilItIsDeleted() throws Exception {
    assertEquals("{\"state\":\"none\"}", server.sendTo("GET", AT + "/status", null).text());
    assertEquals(404, server.sendTo("GET", AT + "/picture", null).status());
    assertEquals(404, server.sendTo("DELETE", AT, null).status());
    assertEquals("{\"state\":\"applied\"}", server.sendTo("POST", AT + "/apply/", "{}").text());
    assertEquals("{\"state\":\"applied\"}", server.sendTo("GET", AT, null).text());
    assertEquals("{\"state\":\"none\"}", server.sendTo("DELETE", AT, null).text());
  }

  @Test
  void planThatSwitchesHaveNotConfirmed_is202UntilTheyHave() throws Exception {
    server.mptcp.isUnconfirmed = true;
    Answer early = server.sendTo("POST", AT + "/apply", "{}");
    assertEquals(202, early.status());
    assertEquals("{\"state\":\"applying\"}", early.text());
    assertEquals(
        200, server.sendTo("GET", AT + "/status", null).status(), "a question is no change");
    server.mptcp.isUnconfirmed = false;
    assertEquals(200, server.sendTo("POST", AT + "/apply", "{}").status());
  }

  @Test
  void planThatSwitchesStillFollow_is202WhenItIsDeleted() throws Exception {
    server.sendTo("POST", AT + "/apply", "{}");
    server.mptcp.isUnconfirmed = true;
    Answer early = server.sendTo("DELETE", AT, null);
    assertEquals(202, early.status());
    assertEquals("{\"state\":\"none\",\"in_force\":false}", early.text());
    server.mptcp.isUnconfirmed = false;
    server.sendTo("POST", AT + "/apply", "{}");
    assertEquals(200, server.sendTo("DELETE", AT, null).status());
  }

  @Test
  void picture_isSentAsItIs() throws Exception {
    server.sendTo("POST", AT + "/apply", "{}");
    HttpResponse<String> response =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(server.fullUri(AT + "/picture")).build(),
                BodyHandlers.ofString());
    assertEquals("<svg/>", response.body());
    assertTrue(
        response.headers().firstValue("Content-Type").orElseThrow().startsWith("image/svg+xml"));
  }

  @ParameterizedTest
  @CsvSource({"GET, plan", "PUT, apply", "POST, status", "DELETE, picture", "PUT, ''"})
  void methodThatIsNotPossible_isRefused(String method, String what) throws Exception {
    String body = method.equals("PUT") || method.equals("POST") ? "{}" : null;
    assertEquals(405, server.sendTo(method, AT + "/" + what, body).status());
  }

  @Test
  void whatIsNotThere_isNotFound() throws Exception {
    assertEquals(404, server.sendTo("GET", AT + "/plans", null).status());
  }

  @Test
  void mistakes_haveTheirStatusAndField() throws Exception {
    server.mptcp.refusal = RejectedException.invalid("method", "method is wrong");
    assertRefused(400, "method");
    server.mptcp.refusal = RejectedException.unprocessable("hosts.x", "there is none");
    assertRefused(422, "hosts.x");
    server.mptcp.refusal = RejectedException.notStored("not stored", new IOException());
    assertRefused(500, null);
  }

  private void assertRefused(int status, String field) throws Exception {
    Answer answer = server.sendTo("POST", AT + "/apply", "{}");
    assertEquals(status, answer.status());
    assertEquals(field == null ? "null" : field, String.valueOf(answer.field()));
  }
}
