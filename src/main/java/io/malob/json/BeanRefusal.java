package io.malob.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import com.fasterxml.jackson.databind.ser.std.BeanSerializerBase;
import java.io.IOException;

/** Refuses to write objects that Jackson would serialize by reflection: beans. */
final class BeanRefusal extends BeanSerializerModifier {
  private static final long serialVersionUID = 1;

  @Override
  public JsonSerializer<?> modifySerializer(
      SerializationConfig config, BeanDescription type, JsonSerializer<?> serializer) {
    return serializer instanceof BeanSerializerBase ? new Refusing() : serializer;
  }

  private static final class Refusing extends JsonSerializer<Object> {
    @Override
    public void serialize(Object value, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      throw JsonMappingException.from(
          out, "an object of " + value.getClass().getName() + "; write it as a record or a map");
    }
  }
}
