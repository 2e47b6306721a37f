package io.malob.json;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.json.JsonTree.Digits;
import io.malob.json.JsonTree.Null;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A value of a JSON document from outside, with its position. All JSON is read by it, except
 * agents' reports, whose bytes {@code ReportReader} reads one by one, as they come at a high rate.
 * Each method that returns a part checks its type and range, and the exception names the position.
 * A document is one value, no object in it has a name twice, and it is nested no deeper than {@link
 * #MAX_DEPTH}. Numbers are kept as they are written.
 *
 * <p>A missing field is a value, too, so that {@code object.get("port").whole(1, 65535)} reports
 * that it is missing. Immutable.
 *
 * @param <E> the exception: {@link RejectedException} for requests
 */
public final class JsonInput<E extends Exception> {
  /** The maximum depth of objects and arrays within each other. */
  public static final int MAX_DEPTH = 100;

  /**
   * The maximum number of values in a request, parts of others included: a few bytes of text take a
   * hundred in memory.
   */
  public static final int MAX_VALUES = 1_000_000;

  private static final JsonErrors<RejectedException> REQUEST = new RequestErrors();

  /** Numbers that JSON has no digits for, which are written as strings. */
  private static final Set<String> NO_DIGITS = Set.of("NaN", "Infinity", "-Infinity");

  private static final int MAX_SHOWN_LENGTH = 60;

  private final byte[] text;
  private final JsonErrors<E> errors;

  /** The object or array that contains this value; null for the whole document. */
  private final @Nullable JsonInput<E> parent;

  /** Its name in the parent, or {@code [index]}. */
  private final String name;

  /** A map, a list, a string, digits, a boolean or the null; null if it is missing. */
  private final @Nullable Object value;

  private JsonInput(
      byte[] text,
      JsonErrors<E> errors,
      @Nullable JsonInput<E> parent,
      String name,
      @Nullable Object value) {
    this.text = text;
    this.errors = errors;
    this.parent = parent;
    this.name = name;
    this.value = value;
  }

  /** Reads a part of a document. */
  @FunctionalInterface
  public interface Reading<E extends Exception, T> {
    /** Converts a value. */
    T of(JsonInput<E> value) throws E;
  }

  /** The body of a request. */
  public static JsonInput<RejectedException> ofRequest(byte[] body) throws RejectedException {
    return parse(body, REQUEST, MAX_VALUES);
  }

  /**
   * A whole document that is not from a client, with any number of values.
   *
   * @param errors the errors for an invalid document
   */
  public static <E extends Exception> JsonInput<E> parse(byte[] text, JsonErrors<E> errors)
      throws E {
    return parse(text, errors, Integer.MAX_VALUE);
  }

  private static <E extends Exception> JsonInput<E> parse(
      byte[] text, JsonErrors<E> errors, int maxValues) throws E {
    return new JsonInput<>(text, errors, null, "", JsonTree.parse(text, errors, maxValues));
  }

  static String join(String place, String name) {
    return place.isEmpty() || name.startsWith("[") ? place + name : place + "." + name;
  }

  /** Its position, as in {@code members[3].port}; empty for the whole document. */
  public String place() {
    return parent == null ? "" : join(parent.place(), name);
  }

  /** The position of a field of this object. */
  public String placeOf(String field) {
    return join(place(), field);
  }

  /** The begin of the value in the text; empty if it is missing. */
  @SuppressWarnings("deprecation") // the new names are not in Floodlight's Jackson
  public Optional<JsonLocation> location() {
    JsonPointer pointer = JsonPointer.compile(pointer());
    try (JsonParser parser = JsonTree.PARSERS.createParser(text)) {
      while (parser.nextToken() != null) {
        if (parser.getParsingContext().pathAsPointer().equals(pointer)) {
          return Optional.of(parser.getTokenLocation());
        }
      }
    } catch (IOException e) {
      // it could be parsed before
    }
    return Optional.empty();
  }

  private String pointer() {
    if (parent == null) {
      return "";
    }
    String step =
        parent.value instanceof List
            ? name.substring(1, name.length() - 1)
            : name.replace("~", "~0").replace("/", "~1");
    return parent.pointer() + "/" + step;
  }

  /** Whether the value exists; in requests, null and a blank string count as missing. */
  public boolean isThere() {
    boolean isBlank = value == Null.NULL || (value instanceof String string && string.isBlank());
    return value != null && !(isBlank && errors.isBlankAbsent());
  }

  /** Whether it is null. */
  public boolean isNull() {
    return value == Null.NULL;
  }

  /** Its converted value, if it exists. */
  public <T> Optional<T> optional(Reading<E, T> reading) throws E {
    return isThere() ? Optional.of(reading.of(this)) : Optional.empty();
  }

  /** An error: {@code place must be}, and this with its article. */
  public E wrong(String expected) {
    return isThere() || parent == null ? errors.wrong(this, expected) : missing();
  }

  private E missing() {
    return parent == null ? errors.empty() : errors.missing(parent, name);
  }

  /** The field of an object. */
  public JsonInput<E> get(String field) throws E {
    return new JsonInput<>(text, errors, this, field, map().get(field));
  }

  /** The fields of an object in their order. */
  public Map<String, JsonInput<E>> fields() throws E {
    return fields(UnaryOperator.identity());
  }

  /**
   * The fields of an object in their order, by other names.
   *
   * @param rename the name of a field here, by its name in the document
   */
  public Map<String, JsonInput<E>> fields(UnaryOperator<String> rename) throws E {
    Map<String, JsonInput<E>> fields = new LinkedHashMap<>();
    for (Map.Entry<String, Object> field : map().entrySet()) {
      String here = rename.apply(field.getKey());
      if (fields.put(here, new JsonInput<>(text, errors, this, here, field.getValue())) != null) {
        throw errors.repeated(placeOf(here), null);
      }
    }
    return fields;
  }

  /** This object, which must have no fields but these. */
  public JsonInput<E> only(Collection<String> known) throws E {
    for (Map.Entry<String, JsonInput<E>> field : fields().entrySet()) {
      if (!known.contains(field.getKey())) {
        throw errors.unknown(field.getValue(), known);
      }
    }
    return this;
  }

  @SuppressWarnings("unchecked") // made by JsonTree
  private Map<String, Object> map() throws E {
    if (value instanceof Map) {
      return (Map<String, Object>) value;
    }
    throw wrong("an object");
  }

  /** The elements of an array. */
  public List<JsonInput<E>> elements() throws E {
    return elements(Integer.MAX_VALUE);
  }

  /** The elements of an array with a max length. */
  public List<JsonInput<E>> elements(int max) throws E {
    if (!(value instanceof List<?> list) || list.size() > max) {
      throw wrong(
          max == Integer.MAX_VALUE ? "an array" : "an array of at most " + max + " elements");
    }
    List<JsonInput<E>> elements = new ArrayList<>();
    for (Object element : list) {
      elements.add(new JsonInput<>(text, errors, this, "[" + elements.size() + "]", element));
    }
    return elements;
  }

  /** The converted elements of an array. */
  public <T> ImmutableList<T> elements(Reading<E, T> reading) throws E {
    return elements(Integer.MAX_VALUE, reading);
  }

  /** The converted elements of an array with a max length. */
  public <T> ImmutableList<T> elements(int max, Reading<E, T> reading) throws E {
    ImmutableList.Builder<T> converted = ImmutableList.builder();
    for (JsonInput<E> element : elements(max)) {
      converted.add(reading.of(element));
    }
    return converted.build();
  }

  /** Whether it is an array. */
  public boolean isArray() {
    return value instanceof List;
  }

  /** Whether it is an object. */
  public boolean isObject() {
    return value instanceof Map;
  }

  /** A string; in requests, without blanks around it. */
  public String string() throws E {
    if (isThere() && value instanceof String string) {
      return errors.isBlankAbsent() ? string.strip() : string;
    }
    throw wrong("a string");
  }

  /** A string; or a number, true or false as written. */
  public String text() throws E {
    if (value instanceof String || value instanceof Digits || value instanceof Boolean) {
      return value.toString();
    }
    throw wrong("a string or a number");
  }

  /**
   * A parsed string.
   *
   * @param expected the description for errors, with its article
   * @param parser throws IllegalArgumentException for invalid strings
   */
  public <T> T parsed(String expected, Function<String, T> parser) throws E {
    try {
      return parser.apply(string());
    } catch (IllegalArgumentException e) {
      throw wrong(expected);
    }
  }

  /** One of the constants of an enum, in lower case. */
  public <T extends Enum<T>> T oneOf(Class<T> type) throws E {
    ImmutableMap<String, T> constants =
        Maps.uniqueIndex(EnumSet.allOf(type), constant -> constant.name().toLowerCase(Locale.ROOT));
    return Objects.requireNonNull(constants.get(oneOf(constants.keySet())));
  }

  /** One of these strings. */
  public String oneOf(Collection<String> strings) throws E {
    String given = value instanceof String ? string() : "";
    if (strings.contains(given)) {
      return given;
    }
    throw wrong("one of " + String.join(", ", strings));
  }

  /** True or false. */
  public boolean flag() throws E {
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw wrong("true or false");
  }

  /** A whole number within these bounds (both inclusive). */
  public long whole(long min, long max) throws E {
    if (value instanceof Digits digits && digits.isWhole()) {
      try {
        long number = Long.parseLong(digits.text());
        if (number >= min && number <= max) {
          return number;
        }
      } catch (NumberFormatException e) {
        // larger than any bound
      }
    }
    throw wrong("a whole number from " + min + " to " + max);
  }

  /** The same for small ones. */
  public int whole(int min, int max) throws E {
    return (int) whole((long) min, (long) max);
  }

  /** A number. */
  public double number() throws E {
    if (value instanceof Digits digits) {
      return Double.parseDouble(digits.text());
    }
    throw wrong("a number");
  }

  /** A number within these bounds (both inclusive). */
  public double number(double min, double max) throws E {
    double number = value instanceof Digits ? number() : Double.NaN;
    if (number >= min && number <= max) {
      return number;
    }
    throw wrong(String.format(Locale.ROOT, "a number from %.0f to %.0f", min, max));
  }

  /** A number, or the string for a number without digits, such as {@code NaN}. */
  public double anyNumber() throws E {
    return value instanceof String string && NO_DIGITS.contains(string)
        ? Double.parseDouble(string)
        : number();
  }

  /**
   * The same value, with a string converted to the number or boolean that it spells. For documents
   * that are written by hand.
   */
  public JsonInput<E> spelled() {
    if (!(value instanceof String string)) {
      return this;
    }
    String spelling = string.strip();
    Object spelled = string;
    if (spelling.equals("true") || spelling.equals("false")) {
      spelled = Boolean.valueOf(spelling);
    } else if (spelling.matches("-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?")) {
      spelled = new Digits(spelling, spelling.matches("-?[0-9]+"));
    }
    return new JsonInput<>(text, errors, parent, name, spelled);
  }

  /** The value for an error: strings quoted and shortened; only the type of arrays and objects. */
  String shown() {
    if (value instanceof Map) {
      return "an object";
    } else if (value instanceof List) {
      return "an array";
    }
    String whole = String.valueOf(value);
    String cut =
        whole.length() <= MAX_SHOWN_LENGTH ? whole : whole.substring(0, MAX_SHOWN_LENGTH) + "…";
    return value instanceof String ? "\"" + cut + "\"" : cut;
  }
}
