package io.malob.json;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Converts the tokens of a document to plain values: maps and lists, strings, booleans, {@link
 * Digits} and {@link Null}. It checks the limits, because Floodlight's Jackson 2.11 has none and
 * overflows the stack.
 */
final class JsonTree {
  /** The maximum length of a number, as in newer versions of Jackson. */
  private static final int MAX_DIGITS = 1_000;

  private final JsonParser parser;
  private final int maxValues;
  private int depth;
  private int values;

  JsonTree(JsonParser parser, int maxValues) {
    this.parser = parser;
    this.maxValues = maxValues;
  }

  /** A value that is null in the document. */
  enum Null {
    NULL;

    @Override
    public String toString() {
      return "null";
    }
  }

  /** A number as written. */
  record Digits(String text, boolean isWhole) {
    @Override
    public String toString() {
      return text;
    }
  }

  /** The value whose first token the parser has just read. */
  Object read() throws IOException {
    JsonToken token = parser.currentToken();
    values++;
    if (values > maxValues) {
      throw new JsonParseException(parser, "more than " + maxValues + " values");
    }
    if (token.isNumeric() && parser.getTextLength() > MAX_DIGITS) {
      throw new JsonParseException(parser, "a number of more than " + MAX_DIGITS + " characters");
    }
    return switch (token) {
      case START_OBJECT -> object();
      case START_ARRAY -> array();
      case VALUE_STRING -> parser.getText();
      case VALUE_NUMBER_INT -> new Digits(parser.getText(), true);
      case VALUE_NUMBER_FLOAT -> new Digits(parser.getText(), false);
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> Null.NULL;
      default -> throw new JsonParseException(parser, "there is no value here");
    };
  }

  private Map<String, Object> object() throws IOException {
    enter();
    Map<String, Object> fields = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.getText();
      parser.nextToken();
      fields.put(name, read());
    }
    depth--;
    return fields;
  }

  private List<Object> array() throws IOException {
    enter();
    List<Object> elements = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      elements.add(read());
    }
    depth--;
    return elements;
  }

  private void enter() throws IOException {
    depth++;
    if (depth > JsonInput.MAX_DEPTH) {
      throw new JsonParseException(parser, "nested deeper than " + JsonInput.MAX_DEPTH + " levels");
    }
  }
}
