package io.malob.state.catalog;

import com.google.common.collect.ImmutableMap;
import io.malob.json.RejectedException;
import java.util.Map;

/**
 * Session persistence by the client's address.
 *
 * @param timeoutSeconds the time after its last new connection, from 1 to {@link #MAX_SECONDS}
 */
public record Persistence(int timeoutSeconds) {
  /** The max time: a week. */
  public static final int MAX_SECONDS = 604_800;

  static final FieldFormat<Persistence> FORMAT =
      FieldFormat.ofParts("Persistence", Persistence::parse, Persistence::parts);

  private static final int USUAL_SECONDS = 1_800;
  private static final String TYPE = "type";
  private static final String SOURCE_IP = "SOURCE_IP";
  private static final String TIMEOUT = "timeout";

  /** Its parts, by their names in REST. */
  private Map<String, Object> parts() {
    return ImmutableMap.of(TYPE, SOURCE_IP, TIMEOUT, timeoutSeconds);
  }

  /** Parses a string such as {@code SOURCE_IP} or {@code type=SOURCE_IP,timeout=600}. */
  private static Persistence parse(String field, String text) throws RejectedException {
    String type = "";
    int timeout = USUAL_SECONDS;
    for (String part : text.split(",", -1)) {
      int sign = part.indexOf('=');
      String name = sign < 0 ? TYPE : part.substring(0, sign).strip();
      String value = part.substring(sign + 1).strip();
      if (name.equals(TYPE)) {
        type = value;
      } else if (name.equals(TIMEOUT)) {
        timeout =
            FieldFormat.number(field, value, 1, MAX_SECONDS, "of seconds from 1 to " + MAX_SECONDS);
      } else {
        throw RejectedException.invalid(
            field, field + " has only type and timeout, not " + FieldFormat.quoted(name));
      }
    }
    if (!type.equalsIgnoreCase(SOURCE_IP)) {
      throw RejectedException.invalid(
          field, field + ": type must be SOURCE_IP, not " + FieldFormat.quoted(type));
    }
    return new Persistence(timeout);
  }
}
