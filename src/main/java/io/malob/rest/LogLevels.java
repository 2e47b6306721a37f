package io.malob.rest;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Shows and changes the levels of the controller's loggers, if Logback is the backend. Only
 * existing loggers of the controller and of Floodlight can be changed, except the audit log. Safe
 * for use by several threads.
 */
final class LogLevels {
  private static final ImmutableList<String> OURS =
      ImmutableList.of("io.malob", "net.floodlightcontroller");

  /** The log of changes, which must not be silenced by one. */
  private static final String AUDIT = "io.malob.audit";

  private static final ImmutableSet<String> FIELDS = ImmutableSet.of("logger", "level");
  private static final ImmutableList<String> LEVELS =
      ImmutableList.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF");

  /** The levels. */
  Reply list(Call call) throws RejectedException {
    return withLogback(LogLevels::levels);
  }

  /** Changes a level. */
  Reply put(Call call) throws IOException, RejectedException {
    JsonInput<RejectedException> fields = call.json().only(FIELDS);
    return withLogback(context -> changed(context, fields));
  }

  private interface Logging {
    Map<String, String> of(LoggerContext context) throws RejectedException;
  }

  private static Reply withLogback(Logging logging) throws RejectedException {
    try {
      return Reply.ok(logging.of(context()));
    } catch (NoClassDefFoundError e) {
      throw notHere();
    }
  }

  private static LoggerContext context() throws RejectedException {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      return context;
    }
    throw notHere();
  }

  private static RejectedException notHere() {
    return new RejectedException(
        Reason.NOT_SUPPORTED,
        "log levels can be changed only with Logback, which this controller does not use",
        null);
  }

  private static Map<String, String> levels(LoggerContext context) {
    Map<String, String> levels = new LinkedHashMap<>();
    for (Logger logger : context.getLoggerList()) {
      if (isOurs(logger.getName())
          && !isBelow(AUDIT, logger.getName())
          && (isTop(logger.getName()) || logger.getLevel() != null)) {
        levels.put(logger.getName(), logger.getEffectiveLevel().toString());
      }
    }
    return levels;
  }

  private static boolean isTop(String name) {
    return OURS.contains(name);
  }

  private static boolean isOurs(String name) {
    return OURS.stream().anyMatch(top -> isBelow(top, name));
  }

  private static boolean isBelow(String top, String name) {
    return name.equals(top) || name.startsWith(top + ".");
  }

  private static Map<String, String> changed(
      LoggerContext context, JsonInput<RejectedException> fields) throws RejectedException {
    Logger logger = logger(context, fields.get("logger"));
    @Nullable Level level = level(fields.get("level"));
    Logger audit = context.getLogger(AUDIT);
    audit.setLevel(audit.getEffectiveLevel()); // from now on, it inherits no level
    logger.setLevel(level);
    Map<String, String> shown = new LinkedHashMap<>();
    shown.put("logger", logger.getName());
    shown.put("level", logger.getEffectiveLevel().toString());
    return shown;
  }

  private static Logger logger(LoggerContext context, JsonInput<RejectedException> field)
      throws RejectedException {
    String name = field.string();
    if (!isOurs(name)) {
      throw field.wrong("the name of a logger below " + String.join(" or ", OURS));
    }
    if (isBelow(AUDIT, name)) {
      throw RejectedException.unprocessable("logger", "the audit log has no level to change");
    }
    @Nullable Logger logger = context.exists(name);
    if (logger == null) {
      throw RejectedException.unprocessable("logger", "there is no logger " + name);
    }
    return logger;
  }

  /** Null: a logger inherits the level of its parent. */
  private static @Nullable Level level(JsonInput<RejectedException> field)
      throws RejectedException {
    return field.isNull() ? null : Level.toLevel(field.oneOf(LEVELS));
  }
}
