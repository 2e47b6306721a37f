package io.malob.rest;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Shows and changes how much the controller's loggers say, where Logback does the logging. Only
 * loggers that are there already, of the controller and of Floodlight, can be changed. Safe for use
 * by several threads.
 */
final class LogLevels {
  private static final ImmutableList<String> OURS =
      ImmutableList.of("io.malob", "net.floodlightcontroller");
  private static final ImmutableSet<String> FIELDS = ImmutableSet.of("logger", "level");
  private static final ImmutableList<String> LEVELS =
      ImmutableList.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF");

  /** Answers a request to what is below {@code /logs}. */
  Reply answer(String method, List<String> path, RequestBody body)
      throws IOException, RefusedException {
    if (!path.equals(List.of("levels"))) {
      throw new RefusedException(404, "levels of loggers are at /logs/levels", null);
    }
    try {
      LoggerContext context = context();
      return switch (method) {
        case "GET" -> Reply.ok(levels(context));
        case "PUT" -> put(context, JsonFields.read(body.bytes(), name -> name));
        default -> throw RefusedException.method(method, "GET", "PUT");
      };
    } catch (NoClassDefFoundError e) {
      throw notHere();
    }
  }

  private static LoggerContext context() throws RefusedException {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      return context;
    }
    throw notHere();
  }

  private static RefusedException notHere() {
    return new RefusedException(
        501, "levels can be changed where Logback does the logging, which it does not here", null);
  }

  private static Map<String, String> levels(LoggerContext context) {
    Map<String, String> levels = new LinkedHashMap<>();
    for (Logger logger : context.getLoggerList()) {
      if (isOurs(logger.getName()) && (isTop(logger.getName()) || logger.getLevel() != null)) {
        levels.put(logger.getName(), logger.getEffectiveLevel().toString());
      }
    }
    return levels;
  }

  private static boolean isTop(String name) {
    return OURS.contains(name);
  }

  private static boolean isOurs(String name) {
    return OURS.stream().anyMatch(top -> name.equals(top) || name.startsWith(top + "."));
  }

  private static Reply put(LoggerContext context, Map<String, @Nullable Object> fields)
      throws RefusedException {
    for (String name : fields.keySet()) {
      if (!FIELDS.contains(name)) {
        throw new RefusedException(400, "there is no field " + name, name);
      }
    }
    Logger logger = logger(context, fields.get("logger"));
    logger.setLevel(level(fields));
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("logger", logger.getName());
    shown.put("level", logger.getEffectiveLevel().toString());
    return Reply.ok(shown);
  }

  private static Logger logger(LoggerContext context, @Nullable Object name)
      throws RefusedException {
    if (!(name instanceof String text) || !isOurs(text)) {
      throw new RefusedException(
          400, "logger must begin with " + String.join(" or ", OURS), "logger");
    }
    @Nullable Logger logger = context.exists(text);
    if (logger == null) {
      throw new RefusedException(422, "there is no logger " + text, "logger");
    }
    return logger;
  }

  /** Null has a logger say as much as the one above it. */
  private static @Nullable Level level(Map<String, @Nullable Object> fields)
      throws RefusedException {
    @Nullable Object level = fields.get("level");
    if (level == null && fields.containsKey("level")) {
      return null;
    }
    if (!(level instanceof String text) || !LEVELS.contains(text)) {
      throw new RefusedException(
          400, "level must be one of " + String.join(", ", LEVELS) + ", or null", "level");
    }
    return Level.toLevel(text);
  }
}
