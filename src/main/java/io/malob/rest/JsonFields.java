package io.malob.rest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.CharConversionException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads the one form of JSON that requests have: an object whose values are texts, numbers, truth
 * values, null, or lists or objects of such. Reads token by token, so that no deeper nesting is
 * ever built up.
 */
final class JsonFields {
  private static final JsonFactory JSON = new JsonFactory();

  private JsonFields() {}

  /**
   * The fields of a body, in its order. A value is a text (numbers and truth values as they are
   * written), a list or an object of texts, or null.
   *
   * @param rename what a field is called here, by the name that the client gives it
   * @throws RefusedException if the body is anything else
   */
  static Map<String, @Nullable Object> read(byte[] body, UnaryOperator<String> rename)
      throws RefusedException {
    return parse(body, parser -> readFields(parser, rename, ""));
  }

  /**
   * The lists of a body that is an object of lists of objects: what one item is called in its list
   * is said in errors, as in {@code members[3].port}.
   *
   * @param renames the names that lists may have, and what fields are called in each
   * @throws RefusedException if the body is anything else
   */
  static Map<String, List<Map<String, @Nullable Object>>> readLists(
      byte[] body, Map<String, UnaryOperator<String>> renames) throws RefusedException {
    return parse(body, parser -> readLists(parser, renames));
  }

  /**
   * The fields of the one object in a body, as in {@code {"pool": {…}}}. Values are texts, numbers
   * as they are written, {@code true} or {@code false}, or null.
   *
   * @param wrapper the name of the object
   * @throws RefusedException if the body is anything else
   */
  static Map<String, @Nullable String> readWrapped(byte[] body, String wrapper)
      throws RefusedException {
    return parse(body, parser -> readWrapped(parser, wrapper));
  }

  private static Map<String, @Nullable String> readWrapped(JsonParser parser, String wrapper)
      throws IOException, RefusedException {
    if (parser.nextToken() == JsonToken.END_OBJECT
        || !parser.getText().equals(wrapper)
        || parser.nextToken() != JsonToken.START_OBJECT) {
      throw new RefusedException(
          400, "the body must be an object with one object, \"" + wrapper + "\"", wrapper);
    }
    Map<String, @Nullable String> fields = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.getText();
      if (fields.containsKey(name)) {
        throw new RefusedException(400, name + " is given twice", name);
      }
      parser.nextToken();
      fields.put(name, readScalar(parser, name));
    }
    if (parser.nextToken() != JsonToken.END_OBJECT) {
      throw new RefusedException(400, "the body has more than \"" + wrapper + "\"", null);
    }
    return fields;
  }

  private interface Reader<T> {
    T read(JsonParser parser) throws IOException, RefusedException;
  }

  private static <T> T parse(byte[] body, Reader<T> reader) throws RefusedException {
    try (JsonParser parser = JSON.createParser(body)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new RefusedException(400, "the body is empty; a JSON object is needed", null);
      }
      if (first != JsonToken.START_OBJECT) {
        throw new RefusedException(400, "the body must be a JSON object", null);
      }
      T value = reader.read(parser);
      if (parser.nextToken() != null) {
        throw new RefusedException(400, "there is something after the JSON object", null);
      }
      return value;
    } catch (JsonProcessingException e) {
      throw new RefusedException(
          400, "the body is not valid JSON" + where(e.getLocation()) + ": " + reason(e), null);
    } catch (CharConversionException e) {
      throw new RefusedException(400, "the body is not valid UTF-8 text", null);
    } catch (IOException e) {
      throw new RefusedException(400, "the body is not valid JSON", null);
    }
  }

  private static Map<String, List<Map<String, @Nullable Object>>> readLists(
      JsonParser parser, Map<String, UnaryOperator<String>> renames)
      throws IOException, RefusedException {
    Map<String, List<Map<String, @Nullable Object>>> lists = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.getText();
      @Nullable UnaryOperator<String> rename = renames.get(name);
      if (rename == null) {
        throw new RefusedException(
            400,
            "there is no \"" + name + "\" here, only " + String.join(", ", renames.keySet()),
            name);
      }
      if (lists.containsKey(name)) {
        throw new RefusedException(400, name + " is given twice", name);
      }
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        throw new RefusedException(400, name + " must be a list", name);
      }
      List<Map<String, @Nullable Object>> items = new ArrayList<>();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        String place = name + "[" + items.size() + "]";
        if (parser.getCurrentToken() != JsonToken.START_OBJECT) {
          throw new RefusedException(400, place + " must be an object", place);
        }
        items.add(readFields(parser, rename, place + "."));
      }
      lists.put(name, items);
    }
    return lists;
  }

  /** The fields of the object that the parser has just entered. */
  private static Map<String, @Nullable Object> readFields(
      JsonParser parser, UnaryOperator<String> rename, String place)
      throws IOException, RefusedException {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = rename.apply(parser.getText());
      parser.nextToken();
      if (fields.containsKey(name)) {
        throw new RefusedException(400, place + name + " is given twice", place + name);
      }
      fields.put(name, readValue(parser, place + name));
    }
    return fields;
  }

  private static @Nullable Object readValue(JsonParser parser, String name)
      throws IOException, RefusedException {
    if (parser.getCurrentToken() == JsonToken.START_OBJECT) {
      return readParts(parser, name);
    }
    if (parser.getCurrentToken() != JsonToken.START_ARRAY) {
      return readScalar(parser, name);
    }
    List<String> list = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      list.add(String.valueOf(readScalar(parser, name)));
    }
    return list;
  }

  /** The object that the parser has just entered; what is null in it is not there. */
  private static Map<String, String> readParts(JsonParser parser, String name)
      throws IOException, RefusedException {
    Map<String, String> parts = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String place = name + "." + parser.getText();
      String part = parser.getText();
      parser.nextToken();
      @Nullable String value = readScalar(parser, place);
      if (value != null && parts.put(part, value) != null) {
        throw new RefusedException(400, place + " is given twice", place);
      }
    }
    return parts;
  }

  private static @Nullable String readScalar(JsonParser parser, String name)
      throws IOException, RefusedException {
    return switch (parser.getCurrentToken()) {
      case VALUE_NULL -> null;
      case VALUE_STRING, VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT, VALUE_TRUE, VALUE_FALSE ->
          parser.getText();
      default -> throw new RefusedException(400, name + " must be a text or a number", name);
    };
  }

  private static String where(@Nullable JsonLocation location) {
    return location == null
        ? ""
        : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
  }

  /** Jackson's sentence up to where it begins to speak of its own sources. */
  private static String reason(JsonProcessingException e) {
    String message = String.valueOf(e.getOriginalMessage());
    int aside = message.indexOf(" (start marker");
    String sentence = aside < 0 ? message : message.substring(0, aside);
    return sentence.length() <= 200 ? sentence : sentence.substring(0, 200) + "…";
  }
}
