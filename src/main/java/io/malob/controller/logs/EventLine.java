package io.malob.controller.logs;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The content of a log line: the name of an event, and its fields. It is parsed from the pattern of
 * the line in the code, which is {@code event key={} other="{}" - a sentence}, so that the same
 * line suits people and machines, with SLF4J's basic API only. Quotes are for values that may
 * contain spaces.
 *
 * @param event its name
 * @param fields the values of its keys, in order
 * @param sentence the additional sentence for people; null if there is none
 */
record EventLine(String event, Map<String, @Nullable Object> fields, @Nullable String sentence) {
  private static final Pattern LINE =
      Pattern.compile("([a-z][a-z0-9_]*)((?: [a-z][a-z0-9_]*=(?:\\{}|\"\\{}\"))*)(?: - ([^{}]+))?");
  private static final Pattern KEY = Pattern.compile("([a-z0-9_]+)=");

  /**
   * Reads a line; empty if its pattern is not of that form, as those of libraries are not.
   *
   * @param pattern the text with {@code {}} for each value
   * @param values the values; null for none
   */
  static Optional<EventLine> read(@Nullable String pattern, @Nullable Object @Nullable [] values) {
    Matcher line = LINE.matcher(pattern == null ? "" : pattern);
    if (!line.matches()) {
      return Optional.empty();
    }
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    Matcher key = KEY.matcher(line.group(2));
    for (int i = 0; key.find(); i++) {
      fields.put(key.group(1), values == null || i >= values.length ? null : values[i]);
    }
    return Optional.of(new EventLine(line.group(1), fields, line.group(3)));
  }
}
