package io.malob.controller.logs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** Lines of the log as objects of JSON. */
class JsonLinesTest {
  private static final Logger LOGGER =
      new LoggerContext().getLogger("io.malob.balancer.recovery.SwitchRecovery");

  private static JsonNode line(String pattern, Throwable thrown, Object... values)
      throws Exception {
    LoggingEvent event = new LoggingEvent("caller", LOGGER, Level.WARN, pattern, thrown, values);
    event.setThreadName("upkeep");
    String text = JsonLines.of(event);
    assertTrue(text.endsWith("}\n") && text.indexOf('\n') == text.length() - 1, text);
    return new ObjectMapper().readTree(text);
  }

  @Test
  void event_hasANameAndAFieldForEachValue() throws Exception {
    JsonNode line =
        line(
            "rules_not_told switch={} tries={} why=\"{}\" - it waits",
            null,
            "00:01",
            3,
            "no \"x\"");
    assertEquals("rules_not_told", line.get("event").asText());
    assertEquals("00:01", line.get("switch").asText());
    assertTrue(line.get("tries").isInt());
    assertEquals(3, line.get("tries").asInt());
    assertEquals("no \"x\"", line.get("why").asText());
    assertEquals("it waits", line.get("message").asText());
    assertEquals("WARN", line.get("level").asText());
    assertEquals("io.malob.balancer.recovery.SwitchRecovery", line.get("logger").asText());
    assertEquals("upkeep", line.get("thread").asText());
    assertTrue(line.get("time").asText().endsWith("Z"), line.get("time").asText());
    assertFalse(line.has("exception"));
  }

  @Test
  void event_withoutASentence_hasNoMessage() throws Exception {
    assertFalse(line("flow_not_moved", null).has("message"));
  }

  @Test
  void exception_isInTheSameLine() throws Exception {
    JsonNode line = line("flow_not_moved", new IllegalStateException("why\nnot"));
    assertTrue(line.get("exception").asText().contains("IllegalStateException"), "" + line);
  }

  @Test
  void lineOfALibrary_isKeptAsItIs() throws Exception {
    JsonNode line = line("Something {} happened", null, "bad");
    assertEquals("message", line.get("event").asText());
    assertEquals("Something bad happened", line.get("message").asText());
  }

  @Test
  void value_cannotTakeTheNameOfWhatEveryLineHas() throws Exception {
    JsonNode line = line("some_event level={}", null, "forged");
    assertEquals("WARN", line.get("level").asText());
  }

  @Test
  void value_withLineBreaks_staysInOneLine() throws Exception {
    assertEquals("a\nb", line("some_event why=\"{}\"", null, "a\nb").get("why").asText());
  }
}
