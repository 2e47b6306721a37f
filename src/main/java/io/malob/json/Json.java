package io.malob.json;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/**
 * Reads and writes JSON, with Jackson 2.11 of Floodlight exactly as with newer versions.
 *
 * <p>It writes maps, collections, arrays, strings, numbers, booleans, enums, null and trees, and
 * refuses every other object: versions of Jackson differ in what they see of a class, and 2.11 sees
 * nothing of a record. It reads no text that is nested deeper than {@link #MAX_DEPTH}: 2.11 has no
 * such limit and overflows the stack. Thread-safe.
 */
public final class Json {
  /** The maximum depth of objects and arrays within each other. */
  public static final int MAX_DEPTH = 100;

  /** The maximum length of a number, as in newer versions of Jackson. */
  private static final int MAX_DIGITS = 1_000;

  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .registerModule(
              new SimpleModule("plain values").setSerializerModifier(new BeanRefusal()));
  private static final ObjectReader LENIENT = MAPPER.reader();
  private static final ObjectReader STRICT =
      MAPPER
          .reader()
          .with(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private Json() {}

  /** An empty object, to be filled and written. */
  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /**
   * Reads the first value of a text. Of several fields with the same name the last one counts.
   *
   * @return the value, or a missing node if the text is empty
   * @throws JsonProcessingException if the text is not valid JSON, or is nested too deeply
   */
  public static JsonNode read(byte[] text) throws IOException {
    return read(LENIENT, text);
  }

  /** Reads a text of one value; refuses repeated fields and text after the value, too. */
  public static JsonNode readStrictly(byte[] text) throws IOException {
    return read(STRICT, text);
  }

  private static JsonNode read(ObjectReader reader, byte[] text) throws IOException {
    try (JsonParser parser = MAPPER.getFactory().createParser(text)) {
      checkLimits(parser);
    }
    return reader.readTree(text);
  }

  /** Reads the first value without recursion. */
  private static void checkLimits(JsonParser parser) throws IOException {
    int depth = 0;
    do {
      JsonToken token = parser.nextToken();
      if (token == null) {
        return;
      } else if (token.isStructStart()) {
        depth++;
      } else if (token.isStructEnd()) {
        depth--;
      }
      if (depth > MAX_DEPTH) {
        throw new JsonParseException(parser, "nested deeper than " + MAX_DEPTH + " levels");
      }
      if (token.isNumeric() && parser.getTextLength() > MAX_DIGITS) {
        throw new JsonParseException(parser, "a number of more than " + MAX_DIGITS + " characters");
      }
    } while (depth > 0);
  }

  /** The JSON text of a value. */
  public static String text(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw noValue(value, e);
    }
  }

  /** The JSON text of a value, in UTF-8. */
  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw noValue(value, e);
    }
  }

  /** The JSON text of a value, in UTF-8, indented for readers. */
  public static byte[] indentedBytes(Object value) {
    try {
      return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw noValue(value, e);
    }
  }

  private static IllegalStateException noValue(Object value, JsonProcessingException e) {
    // not the value itself: some cannot be told as text either
    return new IllegalStateException("no JSON value, of " + value.getClass().getName(), e);
  }
}
