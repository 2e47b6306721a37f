package io.malob.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.malob.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value of a state file, which knows its place there. Strict: what is missing, or of another
 * type than asked for, is damage. Immutable.
 */
public final class StateNode {
  private static final JsonFactory PARSERS = new JsonFactory();

  private static final Set<String> NO_DIGITS = Set.of("NaN", "Infinity", "-Infinity");

  private final byte[] text;
  private final JsonPointer place;
  private final JsonNode json;

  private StateNode(byte[] text, JsonPointer place, JsonNode json) {
    this.text = text;
    this.place = place;
    this.json = json;
  }

  /**
   * The value of a whole file.
   *
   * @throws DamagedException if it is not one JSON value, or an object has a name twice
   */
  public static StateNode parse(byte[] text) throws DamagedException {
    JsonNode json;
    try {
      json = Json.readStrictly(text);
    } catch (JsonProcessingException e) {
      boolean isTwice = String.valueOf(e.getOriginalMessage()).startsWith("Duplicate field");
      throw new DamagedException(
          e.getLocation(), isTwice ? "a name is there twice" : "not valid JSON");
    } catch (IOException e) {
      throw new DamagedException(null, "not valid JSON");
    }
    if (json == null || json.isMissingNode()) {
      throw new DamagedException(null, "the file is empty");
    }
    return new StateNode(text, JsonPointer.compile(""), json);
  }

  /** What is wrong with this value: its name and this. */
  public DamagedException damaged(String what) {
    return new DamagedException(location(), name() + " " + what);
  }

  /** The same for a sentence that says which value it means. */
  public DamagedException damagedBy(String sentence) {
    return new DamagedException(location(), sentence);
  }

  /** As in {@code members[3].port}. */
  private String name() {
    StringBuilder name = new StringBuilder();
    for (JsonPointer at = place; !at.matches(); at = at.tail()) {
      if (at.getMatchingIndex() >= 0) {
        name.append('[').append(at.getMatchingIndex()).append(']');
      } else {
        name.append(name.length() == 0 ? "" : ".").append(at.getMatchingProperty());
      }
    }
    return name.length() == 0 ? "the file" : name.toString();
  }

  @SuppressWarnings("deprecation") // the new name is not in Floodlight's Jackson
  private @Nullable JsonLocation location() {
    try (JsonParser parser = PARSERS.createParser(text)) {
      while (parser.nextToken() != null) {
        if (parser.getParsingContext().pathAsPointer().equals(place)) {
          return parser.getTokenLocation();
        }
      }
    } catch (IOException e) {
      // it could be parsed before
    }
    return null;
  }

  /** The value under a name. */
  public StateNode get(String name) throws DamagedException {
    Optional<StateNode> value = find(name);
    if (value.isEmpty()) {
      throw damaged("has no " + name);
    }
    return value.get();
  }

  /** The value under a name, if there is one. */
  public Optional<StateNode> find(String name) throws DamagedException {
    requireObject();
    JsonNode value = json.path(name);
    return value.isMissingNode() ? Optional.empty() : Optional.of(child(name, value));
  }

  /** All values of an object by their names, in their order. */
  public Map<String, StateNode> fields() throws DamagedException {
    requireObject();
    Map<String, StateNode> fields = new LinkedHashMap<>();
    json.fieldNames().forEachRemaining(name -> fields.put(name, child(name, json.path(name))));
    return fields;
  }

  /** Whether an object has no names but these. */
  public void checkNames(Set<String> known) throws DamagedException {
    requireObject();
    for (Iterator<String> names = json.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!known.contains(name)) {
        throw child(name, json.path(name)).damaged("is not known");
      }
    }
  }

  private void requireObject() throws DamagedException {
    if (!json.isObject()) {
      throw damaged("must be an object");
    }
  }

  private StateNode child(String name, JsonNode value) {
    String escaped = name.replace("~", "~0").replace("/", "~1");
    return new StateNode(text, place.append(JsonPointer.compile("/" + escaped)), value);
  }

  /** The elements of an array. */
  public List<StateNode> elements() throws DamagedException {
    if (!json.isArray()) {
      throw damaged("must be an array");
    }
    List<StateNode> elements = new ArrayList<>();
    for (JsonNode element : json) {
      elements.add(
          new StateNode(text, place.append(JsonPointer.compile("/" + elements.size())), element));
    }
    return elements;
  }

  /** A string. */
  public String text() throws DamagedException {
    if (!json.isTextual()) {
      throw damaged("must be a string");
    }
    return json.textValue();
  }

  /**
   * What a string stands for.
   *
   * @param reader throws IllegalArgumentException if it stands for nothing
   * @param what it should stand for, with an article
   */
  public <T> T value(Function<String, T> reader, String what) throws DamagedException {
    try {
      return reader.apply(text());
    } catch (IllegalArgumentException e) {
      throw damaged("must be " + what);
    }
  }

  /** True or false. */
  public boolean flag() throws DamagedException {
    if (!json.isBoolean()) {
      throw damaged("must be true or false");
    }
    return json.booleanValue();
  }

  /** A whole number within these bounds (both inclusive). */
  public long number(long min, long max) throws DamagedException {
    if (!json.isIntegralNumber()
        || !json.canConvertToLong()
        || json.longValue() < min
        || json.longValue() > max) {
      throw damaged("must be a whole number from " + min + " to " + max);
    }
    return json.longValue();
  }

  /** The same for small ones. */
  public int number(int min, int max) throws DamagedException {
    return (int) number((long) min, (long) max);
  }

  /** Any number; those that JSON has no digits for are strings. */
  public double real() throws DamagedException {
    if (json.isTextual() && NO_DIGITS.contains(json.textValue())) {
      return Double.parseDouble(json.textValue());
    }
    if (!json.isNumber()) {
      throw damaged("must be a number");
    }
    return json.doubleValue();
  }

  /** The value itself. */
  public JsonNode json() {
    return json;
  }
}
