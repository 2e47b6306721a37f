package io.malob.state.catalog;

import io.malob.json.RejectedException;
import org.jspecify.annotations.Nullable;

/** Reads the fields of a new item, or the new values of an item's fields. */
final class FieldReader<T extends CatalogItem> {
  private final Fields fields;
  private final String id;
  private final int number;
  private final @Nullable T current;

  /**
   * Reads a new item.
   *
   * @param number its number, if items of this kind have one
   */
  FieldReader(CatalogKind<T> kind, Fields fields, String id, int number) throws RejectedException {
    this(kind, fields, id, number, null);
  }

  /** Reads a change of an item. */
  FieldReader(CatalogKind<T> kind, Fields fields, T current) throws RejectedException {
    this(kind, fields, current.id(), kind.numberOf(current), current);
  }

  private FieldReader(
      CatalogKind<T> kind, Fields fields, String id, int number, @Nullable T current)
      throws RejectedException {
    kind.checkNames(fields);
    this.fields = fields;
    this.id = id;
    this.number = number;
    this.current = current;
  }

  /** The item's id. */
  String id() {
    return id;
  }

  /** The item's number; 0 if items of this kind have none. */
  int number() {
    return number;
  }

  /** The given value; null if the field is cleared; the current value if it is not given. */
  <V> @Nullable V find(Field<T, V> field) throws RejectedException {
    if (!fields.has(field.name())) {
      return current == null ? null : field.getter().apply(current);
    }
    String text = fields.get(field.name());
    return text == null || (field.isBlankAbsent() && text.isBlank()) ? null : field.parse(text);
  }

  /** The same for a field that has a fallback or is required. */
  <V> V get(Field<T, V> field) throws RejectedException {
    V value = find(field);
    V known = value == null ? field.fallback() : value;
    if (known == null) {
      throw RejectedException.invalid(field.name(), field.name() + " is required");
    }
    return known;
  }

  /** The same with a fallback that depends on other fields. */
  <V> V get(Field<T, V> field, V fallback) throws RejectedException {
    V value = find(field);
    return value == null ? fallback : value;
  }

  /** The name for display: an empty string stays, and the id is the default. */
  String name(Field<T, String> field) throws RejectedException {
    String given = fields.get(field.name());
    return given != null && given.isBlank() ? "" : get(field, id);
  }

  /** Rejects a field that an item must not have. */
  void refuse(Field<T, ?> field, String why) throws RejectedException {
    String given = fields.get(field.name());
    if (given != null) {
      String unused = FieldFormat.NAME.parse(field.name(), given);
      throw RejectedException.invalid(field.name(), field.name() + why);
    }
  }
}
