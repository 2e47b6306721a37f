package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.controller.access.AuditLog;
import io.malob.rest.RestServer.Answer;
import io.malob.store.MemoryStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** How much loggers say, read and changed by REST. */
class LogLevelsTest {
  private static final String URL = "/wm/malob/logs/levels";
  private static final String LOGGER = "io.malob.rest.LogLevelsTest";

  private static RestServer server;

  @BeforeAll
  static void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
    LoggerFactory.getLogger(LOGGER);
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @AfterEach
  void inherit() throws Exception {
    put("{\"logger\": \"io.malob.rest\", \"level\": null}");
  }

  private static Answer put(String body) throws Exception {
    return server.sendTo("PUT", URL, body);
  }

  @Test
  void level_isInForceAtOnceForAllBelow_untilItIsTakenBack() throws Exception {
    assertFalse(LoggerFactory.getLogger(LOGGER).isDebugEnabled());

    Answer answer = put("{\"logger\": \"io.malob.rest\", \"level\": \"DEBUG\"}");

    assertEquals(200, answer.status());
    assertEquals("{\"logger\":\"io.malob.rest\",\"level\":\"DEBUG\"}", answer.text());
    assertTrue(LoggerFactory.getLogger(LOGGER).isDebugEnabled());
    assertEquals("DEBUG", server.sendTo("GET", URL, null).json().get("io.malob.rest").asText());

    assertEquals(
        "INFO",
        put("{\"logger\": \"io.malob.rest\", \"level\": null}").json().get("level").asText());
    assertFalse(LoggerFactory.getLogger(LOGGER).isDebugEnabled());
  }

  @Test
  void levels_showTheTopAndWhatDiffers() throws Exception {
    Answer answer = server.sendTo("GET", URL, null);
    assertEquals("INFO", answer.json().get("io.malob").asText());
    assertFalse(answer.json().has(LOGGER), answer.text());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"logger\": \"org.restlet\", \"level\": \"DEBUG\"} | 400 | logger",
        "{\"logger\": \"io.malobs\", \"level\": \"DEBUG\"} | 400 | logger",
        "{\"level\": \"DEBUG\"} | 400 | logger",
        "{\"logger\": \"io.malob.nothing\", \"level\": \"DEBUG\"} | 422 | logger",
        "{\"logger\": \"io.malob.rest\", \"level\": \"debug\"} | 400 | level",
        "{\"logger\": \"io.malob.rest\"} | 400 | level",
        "{\"logger\": \"io.malob.rest\", \"level\": \"INFO\", \"for\": \"1 h\"} | 400 | for",
      })
  void wrongField_isRefusedByName(String body, int status, String field) throws Exception {
    Answer answer = put(body);
    assertEquals(status, answer.status(), answer.text());
    assertEquals(field, answer.field());
  }

  @ParameterizedTest
  @ValueSource(strings = {"io.malob", AuditLog.LOGGER, AuditLog.LOGGER + ".requests"})
  void auditLog_goesOnWhateverTheLevels(String logger) throws Exception {
    LoggerFactory.getLogger(logger);
    try {
      Answer answer = put("{\"logger\": \"" + logger + "\", \"level\": \"OFF\"}");
      assertEquals(logger.equals("io.malob") ? 200 : 422, answer.status(), answer.text());
      assertTrue(LoggerFactory.getLogger(AuditLog.LOGGER).isInfoEnabled());
      Answer levels = server.sendTo("GET", URL, null);
      assertFalse(levels.json().has(AuditLog.LOGGER), levels.text());
    } finally {
      put("{\"logger\": \"io.malob\", \"level\": null}");
    }
  }

  @Test
  void otherMethodsAndPaths_areRefused() throws Exception {
    assertEquals(405, server.sendTo("DELETE", URL, null).status());
    assertEquals(404, server.sendTo("GET", "/wm/malob/logs", null).status());
  }
}
