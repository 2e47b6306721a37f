package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Reads the fields of a new item, or the new values of an item's fields. */
final class FieldReader {
  private final Fields fields;

  /** Reads these fields, which must have known names. */
  FieldReader(Fields fields, Collection<String> knownNames) throws RejectedException {
    this.fields = fields;
    for (String name : fields.names()) {
      if (!knownNames.contains(name)) {
        throw RejectedException.invalid(
            name, "there is no field \"" + name + "\" here, only " + String.join(", ", knownNames));
      }
    }
  }

  /** The given value; null if the field is cleared; the current value if it is not given. */
  <T> @Nullable T optional(String name, @Nullable T current, FieldFormat<T> format)
      throws RejectedException {
    if (!fields.has(name)) {
      return current;
    }
    String text = fields.get(name);
    return text == null ? null : parse(name, text, format);
  }

  /** The given value; the other one if the field is cleared; the current one if it is not given. */
  <T> T optional(String name, @Nullable T current, FieldFormat<T> format, T otherwise)
      throws RejectedException {
    T value = optional(name, current, format);
    return value == null ? otherwise : value;
  }

  /** The same for a field that an empty string clears as well. */
  <T> T orEmpty(String name, T current, FieldFormat<T> format, T otherwise)
      throws RejectedException {
    String text = fields.get(name);
    return text != null && text.isBlank() ? otherwise : optional(name, current, format, otherwise);
  }

  /** The name for display: an empty string stays, and the id is the default. */
  String name(@Nullable String current, String id) throws RejectedException {
    String given = fields.get("name");
    return given != null && given.isBlank() ? "" : optional("name", current, FieldFormat::name, id);
  }

  /** The given value, or the current one if the field is not given; one of both must exist. */
  <T> T required(String name, @Nullable T current, FieldFormat<T> format) throws RejectedException {
    T value = optional(name, current, format);
    if (value == null) {
      throw RejectedException.invalid(name, name + " is required");
    }
    return value;
  }

  private static <T> T parse(String name, String text, FieldFormat<T> format)
      throws RejectedException {
    String trimmed = text.strip();
    if (trimmed.isEmpty()) {
      throw RejectedException.invalid(name, name + " is empty; leave it out or set it to null");
    }
    return format.parse(name, trimmed);
  }
}
