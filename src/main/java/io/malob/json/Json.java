package io.malob.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON, identically with Floodlight's Jackson 2.11 and newer versions: maps, collections,
 * iterables, arrays, strings, numbers, booleans, enums, null and trees. It refuses every other
 * object: versions of Jackson differ in the properties of a class that they find, and 2.11 does not
 * support records. {@link JsonInput} reads. Thread-safe.
 */
public final class Json {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .registerModule(
              new SimpleModule("plain values").setSerializerModifier(new BeanRefusal()));

  private Json() {}

  /** An empty object, to be filled and written. */
  public static ObjectNode object() {
    return MAPPER.createObjectNode();
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

  /** Writes the JSON text of a value, in UTF-8, as it is made. */
  public static void write(OutputStream out, @Nullable Object value) throws IOException {
    MAPPER.writeValue(out, value);
  }

  private static IllegalStateException noValue(Object value, JsonProcessingException e) {
    // not the value itself: its text may fail as well
    return new IllegalStateException("not a JSON value: " + value.getClass().getName(), e);
  }
}
