package io.malob.controller.logs;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;

/** Log lines for people: time of day, level, class, message; an exception's stack follows. */
final class TextLines {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());
  private static final Pattern CONTROLS = Pattern.compile("\\p{Cntrl}+");

  /** Control characters, except tabs and line breaks, which a stack trace has. */
  private static final Pattern STACK_CONTROLS = Pattern.compile("[\\p{Cntrl}&&[^\\t\\n]]+");

  private TextLines() {}

  /** The text of an event, with the line break at its end. */
  static String of(ILoggingEvent event) {
    String logger = event.getLoggerName();
    StringBuilder line = new StringBuilder(120);
    TIME.formatTo(event.getInstant(), line);
    line.append(' ').append(event.getLevel());
    // all levels take the width of the longest
    line.append(" ".repeat("ERROR ".length() - event.getLevel().levelStr.length()));
    line.append(logger, logger.lastIndexOf('.') + 1, logger.length()).append(": ");
    // what a client or a switch has sent must neither look like a line of its own nor control a
    // terminal
    line.append(CONTROLS.matcher(event.getFormattedMessage()).replaceAll(" ")).append('\n');
    if (event.getThrowableProxy() != null) {
      line.append(
          STACK_CONTROLS
              .matcher(ThrowableProxyUtil.asString(event.getThrowableProxy()))
              .replaceAll(" "));
    }
    return line.toString();
  }
}
