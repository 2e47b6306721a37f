package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.hash.Hashing;
import com.google.common.io.BaseEncoding;
import io.malob.rest.RestServer.Answer;
import io.malob.store.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReportRestTest {
  private static final String PATH = "/wm/malob/reports";
  private RestServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  private static String signed(String json) {
    byte[] key = BaseEncoding.base16().lowerCase().decode("00112233445566778899aabbccddeeff");
    return "malob-report 1 w1 "
        + Hashing.hmacSha256(key).hashString(json, StandardCharsets.UTF_8)
        + "\n"
        + json;
  }

  private static String report(int sequence, String state) {
    return signed(
        """
        {"agent":"w1","boot":"00000000000000aa","sequence":%d,"time_ms":2500,"uptime_ms":7,\
        "server":%s}\
        """
            .formatted(sequence, state));
  }

  @Test
  void report_signed_isAcceptedWithoutAWord() throws Exception {
    Answer answer = server.sendTo("POST", PATH, report(3, "{\"cpu\":0.5}"));

    assertEquals(204, answer.status());
    assertEquals("", answer.text());
    assertEquals(
        "{\"accepted\":1,\"dropped\":{},\"agents\":[{\"id\":\"w1\",\"kind\":\"server\","
            + "\"address\":\"10.0.0.11\",\"other_addresses\":[\"2001:db8::11\"],\"signs\":true,\"accepted\":1,\"age_s\":1.5,"
            + "\"sequence\":3,\"clock_skew_s\":2.5},{\"id\":\"n1\",\"kind\":\"link\","
            + "\"address\":\"10.0.0.21\",\"other_addresses\":[],\"signs\":false,\"accepted\":0,\"age_s\":null,"
            + "\"sequence\":null,\"clock_skew_s\":null}]}",
        server.sendTo("GET", PATH, null).text());
  }

  @Test
  void report_ofAnAbsurdValue_is400AndNamesTheField() throws Exception {
    Answer answer = server.sendTo("POST", PATH, report(1, "{\"cpu\":7.3}"));

    assertEquals(400, answer.status());
    assertEquals("server.cpu", answer.field());
    assertEquals("absurd: server.cpu has an impossible value", answer.error());
  }

  @Test
  void report_notSignedByTheAgent_is401() throws Exception {
    assertEquals(401, server.sendTo("POST", PATH, report(1, "{}") + " ").status());
    Answer unsigned = server.sendTo("POST", PATH, "12 3 4");
    assertEquals(401, unsigned.status());
    assertEquals(
        Optional.of("MALOB-Report realm=\"agents\""),
        unsigned.response().headers().firstValue("WWW-Authenticate"));
    assertEquals(
        401, server.sendTo("POST", PATH, report(1, "{}").replace(" w1 ", " w7 ")).status());
    assertEquals(
        "{\"unknown_agent\":1,\"unsigned\":1,\"wrong_signature\":1}",
        server.sendTo("GET", PATH, null).json().get("dropped").toString());
  }

  @Test
  void report_sentAgain_is409() throws Exception {
    assertEquals(204, server.sendTo("POST", PATH, report(1, "{}")).status());
    assertEquals(409, server.sendTo("POST", PATH, report(1, "{}")).status());
  }

  @Test
  void report_ofTooManyBytes_is413() throws Exception {
    assertEquals(413, server.sendTo("POST", PATH, "x".repeat(1_401)).status());
    assertEquals(1, server.reports.size());
    assertEquals(413, server.sendTo("POST", PATH, "x".repeat(70_000)).status());
    assertEquals(1, server.reports.size(), "not even read");
  }

  @Test
  void otherMethods_areNotPossible() throws Exception {
    assertEquals(405, server.sendTo("DELETE", PATH, null).status());
  }
}
