package io.malob.controller.logs;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import io.malob.json.Json;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Log lines for machines, each a JSON object: {@code time}, {@code level}, {@code logger}, {@code
 * thread}, {@code event}, a field for each of the event's values, {@code message} if there is a
 * sentence, and {@code exception} with its stack. Lines of libraries are of the event {@code
 * message}. See docs/reference/metrics.md.
 */
final class JsonLines {
  private static final String OF_LIBRARY = "message";

  private JsonLines() {}

  /** The text of an event, with the line break at its end. */
  static String of(ILoggingEvent event) {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("time", event.getInstant().truncatedTo(ChronoUnit.MILLIS).toString());
    line.put("level", event.getLevel().toString());
    line.put("logger", event.getLoggerName());
    line.put("thread", event.getThreadName());
    Optional<EventLine> read = EventLine.read(event.getMessage(), event.getArgumentArray());
    line.put("event", read.map(EventLine::event).orElse(OF_LIBRARY));
    if (read.isEmpty()) {
      line.put("message", event.getFormattedMessage());
    } else {
      read.get().fields().forEach((key, value) -> line.putIfAbsent(key, plain(value)));
      if (read.get().sentence() != null) {
        line.put("message", read.get().sentence());
      }
    }
    if (event.getThrowableProxy() != null) {
      line.put("exception", ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    return text(line);
  }

  /** Numbers and booleans keep their types; all other values become strings. */
  private static @Nullable Object plain(@Nullable Object value) {
    return value == null || value instanceof Number || value instanceof Boolean
        ? value
        : value.toString();
  }

  private static String text(Map<String, @Nullable Object> line) {
    try {
      return Json.text(line) + "\n";
    } catch (IllegalStateException e) {
      return "{\"event\":\"message\",\"message\":\"a line of the log could not be written\"}\n";
    }
  }
}
