package io.malob.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.google.common.base.Ascii;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes a record as an object: one field for each component, in their order. A field has the name
 * of its component in {@code snake_case}, without the "is" of a flag, or that of {@link
 * JsonProperty} where Java does not allow the name. With {@link JsonUnwrapped}, the fields of a map
 * or record take the place of the field. Empty optionals are null; constants of enums are in lower
 * case. Has no state.
 */
final class RecordSerializer extends JsonSerializer<Record> {
  private static final Pattern HUMP = Pattern.compile("[A-Z]");

  /** The fields of each class, looked up once. */
  private static final ClassValue<Component[]> COMPONENTS =
      new ClassValue<>() {
        @Override
        protected Component[] computeValue(Class<?> type) {
          return Arrays.stream(type.getRecordComponents())
              .map(Component::of)
              .toArray(Component[]::new);
        }
      };

  private record Component(SerializedString name, MethodHandle accessor, boolean isUnwrapped) {
    static Component of(RecordComponent component) {
      Method accessor = component.getAccessor();
      @Nullable JsonProperty given = accessor.getAnnotation(JsonProperty.class);
      String name =
          given != null
              ? given.value()
              : HUMP.matcher(withoutIs(component))
                  .replaceAll(hump -> "_" + hump.group().toLowerCase(Locale.ROOT));
      accessor.setAccessible(true); // most records are nested in classes of their package
      try {
        return new Component(
            new SerializedString(name),
            MethodHandles.lookup()
                .unreflect(accessor)
                .asType(MethodType.methodType(Object.class, Record.class)),
            accessor.isAnnotationPresent(JsonUnwrapped.class));
      } catch (IllegalAccessException e) {
        throw new IllegalStateException(e);
      }
    }

    /** As of a bean: {@code isMember} is the field {@code member}. */
    private static String withoutIs(RecordComponent component) {
      String name = component.getName();
      boolean isFlag = component.getType() == boolean.class && name.matches("is[A-Z].*");
      return isFlag ? Ascii.toLowerCase(name.charAt(2)) + name.substring(3) : name;
    }

    @Nullable Object of(Record owner) {
      try {
        return (Object) accessor.invokeExact(owner);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException(e); // accessors have no checked exceptions
      }
    }
  }

  @Override
  public void serialize(Record value, JsonGenerator out, SerializerProvider provider)
      throws IOException {
    out.writeStartObject();
    writeFields(value, out, provider);
    out.writeEndObject();
  }

  private static void writeFields(Record owner, JsonGenerator out, SerializerProvider provider)
      throws IOException {
    for (Component component : COMPONENTS.get(owner.getClass())) {
      @Nullable Object value = component.of(owner);
      if (!component.isUnwrapped) {
        out.writeFieldName(component.name);
        provider.defaultSerializeValue(plain(value), out);
      } else if (value instanceof Record part) {
        writeFields(part, out, provider);
      } else if (value instanceof Map<?, ?> part) {
        for (Map.Entry<?, ?> entry : part.entrySet()) {
          provider.defaultSerializeField(String.valueOf(entry.getKey()), entry.getValue(), out);
        }
      }
    }
  }

  /** A value without optionals and constants of enums. */
  static @Nullable Object plain(@Nullable Object value) {
    if (value instanceof Enum<?> constant) {
      return constant.name().toLowerCase(Locale.ROOT);
    } else if (value instanceof Optional<?> optional) {
      return plain(optional.orElse(null));
    } else if (value instanceof OptionalInt number) {
      return number.isPresent() ? number.getAsInt() : null;
    } else if (value instanceof OptionalLong number) {
      return number.isPresent() ? number.getAsLong() : null;
    } else if (value instanceof OptionalDouble number) {
      return number.isPresent() ? number.getAsDouble() : null;
    }
    return value;
  }
}
