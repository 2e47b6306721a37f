package io.malob.state.catalog;

import com.google.common.base.CharMatcher;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a change, with their values as strings, unchecked. A field with null is cleared, a
 * missing field does not change. Immutable.
 */
public final class Fields {
  private final Map<String, @Nullable String> values;

  private Fields(Map<String, @Nullable String> values) {
    this.values = Collections.unmodifiableMap(values);
  }

  /** Fields from a map of names to values. */
  public static Fields of(Map<String, @Nullable String> values) {
    return new Fields(new LinkedHashMap<>(values));
  }

  /**
   * Fields from alternating names and values, as in {@code of("address", "10.0.0.100", "port",
   * "80")}.
   *
   * @throws IllegalArgumentException if a value is missing or a name is repeated
   */
  public static Fields of(@Nullable String... namesAndValues) {
    if (namesAndValues.length % 2 != 0) {
      throw new IllegalArgumentException("a name without a value: " + namesAndValues.length);
    }
    Map<String, @Nullable String> values = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      String name = String.valueOf(namesAndValues[i]);
      if (values.containsKey(name)) {
        throw new IllegalArgumentException("named twice: " + name);
      }
      values.put(name, namesAndValues[i + 1]);
    }
    return new Fields(values);
  }

  /** The names of the fields, in the order in which they were given. */
  public Set<String> names() {
    return values.keySet();
  }

  /** Whether the field is given, even with null. */
  public boolean has(String name) {
    return values.containsKey(name);
  }

  /** The value of a field; null if it is cleared or missing. */
  public @Nullable String get(String name) {
    return values.get(name);
  }

  /** The same fields and one more, or with another value for that one. */
  public Fields with(String name, @Nullable String value) {
    Map<String, @Nullable String> copy = new LinkedHashMap<>(values);
    copy.put(name, value);
    return new Fields(copy);
  }

  /** The same fields, with a blank for each control character of their values. */
  Fields withoutControls() {
    Map<String, @Nullable String> copy = new LinkedHashMap<>();
    values.forEach(
        (name, value) ->
            copy.put(
                name, value == null ? null : CharMatcher.javaIsoControl().replaceFrom(value, ' ')));
    return new Fields(copy);
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
