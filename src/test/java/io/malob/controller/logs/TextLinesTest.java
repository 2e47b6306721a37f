package io.malob.controller.logs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lines of the log for people. */
class TextLinesTest {
  private static final LoggerContext CONTEXT = new LoggerContext();
  private static final String TIME = "[0-2]\\d:[0-5]\\d:[0-6]\\d\\.\\d{3} ";

  private static String line(Level level, @Nullable Throwable thrown, Object... values) {
    Logger logger = CONTEXT.getLogger("io.malob.balancer.recovery.SwitchRecovery");
    return TextLines.of(
        new LoggingEvent("caller", logger, level, "late why=\"{}\"", thrown, values));
  }

  private static String withoutTime(String line) {
    assertTrue(line.substring(0, 13).matches(TIME), line);
    return line.substring(13);
  }

  @Test
  void line_hasTimeLevelClassAndMessage() {
    assertEquals(
        "WARN  SwitchRecovery: late why=\"x\"\n", withoutTime(line(Level.WARN, null, "x")));
    assertEquals(
        "ERROR SwitchRecovery: late why=\"x\"\n", withoutTime(line(Level.ERROR, null, "x")));
  }

  @Test
  void logger_withoutPackage_isNamedWhole() {
    Logger logger = CONTEXT.getLogger("audit");
    LoggingEvent event = new LoggingEvent("caller", logger, Level.INFO, "began", null, null);
    assertEquals("INFO  audit: began\n", withoutTime(TextLines.of(event)));
  }

  @Test
  void message_withLineBreaks_staysInOneLine() {
    String line = line(Level.INFO, null, "a\r\n12:00:00.000 ERROR Main: forged");
    assertEquals(
        "INFO  SwitchRecovery: late why=\"a 12:00:00.000 ERROR Main: forged\"\n",
        withoutTime(line));
  }

  @Test
  void controlCharacters_doNotReachATerminal() {
    String escaped = "a\u001b[2J\u0007b";
    String line = line(Level.INFO, new IllegalStateException(escaped), escaped);
    assertTrue(line.contains("late why=\"a [2J b\"\n"), line);
    assertTrue(line.contains("IllegalStateException: a [2J b\n"), line);
  }

  @Test
  void exception_followsWithItsStack() {
    String line = line(Level.WARN, new IllegalStateException("why not"), "x");
    List<String> lines = line.lines().toList();
    assertTrue(lines.get(0).endsWith("late why=\"x\""), line);
    assertEquals("java.lang.IllegalStateException: why not", lines.get(1));
    assertTrue(lines.get(2).startsWith("\tat "), line);
    assertTrue(line.endsWith("\n"), line);
  }
}
