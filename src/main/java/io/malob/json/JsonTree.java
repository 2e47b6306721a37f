package io.malob.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import java.io.CharConversionException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts the tokens of a document to plain values: maps and lists, strings, booleans, {@link
 * Digits} and {@link Null}. It checks the limits, because Floodlight's Jackson 2.11 has none and
 * overflows the stack.
 */
final class JsonTree {
  /** The maximum length of a number, as in newer versions of Jackson. */
  private static final int MAX_DIGITS = 1_000;

  static final JsonFactory PARSERS =
      new JsonFactory().enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

  private final JsonParser parser;
  private final int maxValues;
  private int depth;
  private int values;

  private JsonTree(JsonParser parser, int maxValues) {
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

  /** The value of a whole document. */
  @SuppressWarnings("deprecation") // the new names are not in Floodlight's Jackson
  static <E extends Exception> Object parse(byte[] text, JsonErrors<E> errors, int maxValues)
      throws E {
    try (JsonParser parser = PARSERS.createParser(text)) {
      try {
        if (parser.nextToken() == null) {
          throw errors.empty();
        }
        Object value = new JsonTree(parser, maxValues).read();
        if (parser.nextToken() != null) {
          throw errors.malformed("there is content after the value", parser.getTokenLocation());
        }
        return value;
      } catch (JsonProcessingException e) {
        String why = String.valueOf(e.getOriginalMessage());
        throw why.startsWith("Duplicate field")
            ? errors.repeated(place(parser.getParsingContext()), e.getLocation())
            : errors.malformed(ownWords(why), e.getLocation());
      }
    } catch (CharConversionException e) {
      throw errors.malformed("it is not UTF-8", null);
    } catch (IOException e) {
      throw errors.malformed("it cannot be read", null);
    }
  }

  /** Jackson's message without the part about its sources. */
  private static String ownWords(String sentence) {
    int aside = sentence.indexOf(" (start marker");
    return aside < 0 ? sentence : sentence.substring(0, aside);
  }

  private static String place(JsonStreamContext at) {
    @Nullable JsonStreamContext above = at.getParent();
    String before = above == null ? "" : place(above);
    if (at.inRoot()) {
      return before;
    }
    return at.inArray()
        ? before + "[" + at.getCurrentIndex() + "]"
        : JsonInput.join(before, String.valueOf(at.getCurrentName()));
  }

  /** The value whose first token the parser has just read. */
  private Object read() throws IOException {
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
