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
 * Reads the one form of JSON that requests have: an object whose values are texts, numbers, null,
 * or lists of texts and numbers. Reads token by token, so that no nesting is ever built up.
 */
final class JsonFields {
  private static final JsonFactory JSON = new JsonFactory();

  private JsonFields() {}

  /**
   * The fields of a body, in its order. A value is a text (numbers as they are written), a list of
   * texts, or null.
   *
   * @param rename what a field is called here, by the name that the client gives it
   * @throws RefusedException if the body is anything else
   */
  static Map<String, @Nullable Object> read(byte[] body, UnaryOperator<String> rename)
      throws RefusedException {
    try (JsonParser parser = JSON.createParser(body)) {
      return readObject(parser, rename);
    } catch (JsonProcessingException e) {
      throw new RefusedException(
          400, "the body is not valid JSON" + where(e.getLocation()) + ": " + reason(e), null);
    } catch (CharConversionException e) {
      throw new RefusedException(400, "the body is not valid UTF-8 text", null);
    } catch (IOException e) {
      throw new RefusedException(400, "the body is not valid JSON", null);
    }
  }

  private static Map<String, @Nullable Object> readObject(
      JsonParser parser, UnaryOperator<String> rename) throws IOException, RefusedException {
    JsonToken first = parser.nextToken();
    if (first == null) {
      throw new RefusedException(400, "the body is empty; a JSON object is needed", null);
    }
    if (first != JsonToken.START_OBJECT) {
      throw new RefusedException(400, "the body must be a JSON object", null);
    }
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = rename.apply(parser.getText());
      parser.nextToken();
      if (fields.containsKey(name)) {
        throw new RefusedException(400, name + " is given twice", name);
      }
      fields.put(name, readValue(parser, name));
    }
    if (parser.nextToken() != null) {
      throw new RefusedException(400, "there is something after the JSON object", null);
    }
    return fields;
  }

  private static @Nullable Object readValue(JsonParser parser, String name)
      throws IOException, RefusedException {
    if (parser.getCurrentToken() != JsonToken.START_ARRAY) {
      return readScalar(parser, name);
    }
    List<String> list = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      list.add(String.valueOf(readScalar(parser, name)));
    }
    return list;
  }

  private static @Nullable String readScalar(JsonParser parser, String name)
      throws IOException, RefusedException {
    return switch (parser.getCurrentToken()) {
      case VALUE_NULL -> null;
      case VALUE_STRING, VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getText();
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
