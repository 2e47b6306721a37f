package io.malob.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * Writes JSON, identically with Floodlight's Jackson 2.11 and newer versions: records (see {@link
 * RecordSerializer}), maps, collections, iterables, arrays, strings, numbers, booleans, enums, null
 * and trees; addresses and ids of switches as strings. It refuses every other object, because
 * versions of Jackson differ in the properties of a class that they find. {@link JsonInput} reads.
 * Thread-safe.
 */
public final class Json {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .registerModule(
              new SimpleModule("records")
                  .setSerializerModifier(new BeanRefusal())
                  .addSerializer(Record.class, new RecordSerializer())
                  .addSerializer(DatapathId.class, ToStringSerializer.instance)
                  .addSerializer(MacAddress.class, ToStringSerializer.instance)
                  .addSerializer(IPAddress.class, ToStringSerializer.instance));

  private Json() {}

  /** An empty object, to be filled and written. */
  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /**
   * Fields of an object from alternating names and values, in their order. The values are written
   * like those of records.
   */
  public static Map<String, @Nullable Object> fields(@Nullable Object... namesAndValues) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      fields.put((String) namesAndValues[i], RecordSerializer.plain(namesAndValues[i + 1]));
    }
    return fields;
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

  /** To three places, as measured values are shown. */
  public static double rounded(double value) {
    return Math.round(value * 1e3) / 1e3;
  }

  private static IllegalStateException noValue(Object value, JsonProcessingException e) {
    // not the value itself: its text may fail as well
    return new IllegalStateException("not a JSON value: " + value.getClass().getName(), e);
  }
}
