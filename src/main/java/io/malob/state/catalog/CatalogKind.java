package io.malob.state.catalog;

import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * One of the six kinds of items with the rules for it: {@link Catalog#LOAD_BALANCERS}, {@link
 * Catalog#VIPS}, {@link Catalog#POOLS}, {@link Catalog#MEMBERS}, {@link Catalog#SERVICES}, {@link
 * Catalog#MONITORS}. Has no state.
 */
public abstract class CatalogKind<T extends CatalogItem> {
  private final String noun;
  private final String listName;
  private final int limit;
  private final List<String> fieldNames;

  CatalogKind(String noun, String listName, int limit, String... fieldNames) {
    this.noun = noun;
    this.listName = listName;
    this.limit = limit;
    this.fieldNames = List.of(fieldNames);
  }

  /** The noun for one item in sentences. */
  public final String noun() {
    return noun;
  }

  /** The name of the list of all items in URLs and in trees. */
  public final String listName() {
    return listName;
  }

  /** The max number of items. */
  public final int limit() {
    return limit;
  }

  /** The names of the fields, in the order in which they are shown. */
  public final List<String> fieldNames() {
    return fieldNames;
  }

  /** Whether the value of a field may be an array or an object, of strings without commas. */
  public boolean takesParts(String fieldName) {
    return Notes.PARTS.contains(fieldName);
  }

  /**
   * The fields of an item from a document. Null clears a field; an array or object becomes a string
   * of its parts, separated by commas, with {@code name=value} for objects.
   *
   * @throws E if a field must not have parts, or has nested parts or parts with commas
   */
  public final <E extends Exception> Fields fields(Map<String, JsonInput<E>> given) throws E {
    Map<String, @Nullable String> values = new LinkedHashMap<>();
    for (Map.Entry<String, JsonInput<E>> field : given.entrySet()) {
      String name = field.getKey();
      JsonInput<E> value = field.getValue();
      boolean mayHaveParts = takesParts(name) || !fieldNames.contains(name);
      values.put(name, value.isNull() ? null : mayHaveParts ? joined(value) : value.text());
    }
    return Fields.of(values);
  }

  private static <E extends Exception> String joined(JsonInput<E> value) throws E {
    StringJoiner joined = new StringJoiner(",");
    if (value.isObject()) {
      for (Map.Entry<String, JsonInput<E>> part : value.fields().entrySet()) {
        if (!part.getValue().isNull()) {
          joined.add(name(value, part.getKey()) + "=" + withoutComma(part.getValue()));
        }
      }
      return joined.toString();
    } else if (value.isArray()) {
      for (JsonInput<E> element : value.elements()) {
        joined.add(element.isNull() ? "null" : withoutComma(element));
      }
      return joined.toString();
    }
    return value.text();
  }

  private static <E extends Exception> String name(JsonInput<E> object, String name) throws E {
    if (name.contains(",") || name.contains("=")) {
      throw object.wrong("an object with names without commas and equals signs");
    }
    return name;
  }

  private static <E extends Exception> String withoutComma(JsonInput<E> part) throws E {
    String text = part.text();
    if (text.contains(",")) {
      throw part.wrong("a string without commas");
    }
    return text;
  }

  /** The items of this kind by id, oldest first. */
  public abstract Map<String, T> in(CatalogSnapshot snapshot);

  /** The item with that id; empty if there is none. */
  public final Optional<T> find(CatalogSnapshot snapshot, String id) {
    return Optional.ofNullable(in(snapshot).get(id));
  }

  /**
   * Reads an item from fields, ignoring other items.
   *
   * @param current the current item; null if it is new
   * @param number the number of a new item, if items of this kind have one
   */
  abstract T read(FieldReader fields, String id, int number, @Nullable T current)
      throws RejectedException;

  /** The number of an item; 0 if items of this kind have none. */
  int numberOf(T item) {
    return 0;
  }

  /** The numbers of new items; only 0 if items of this kind have none. */
  FreeNumbers freeNumbers(CatalogTables tables) {
    return new FreeNumbers(0, 0);
  }

  /**
   * The tables with these items added, or replaced where the id exists.
   *
   * @param lastNumber the last number of {@link #freeNumbers}
   */
  abstract CatalogTables with(CatalogTables tables, Collection<T> items, int lastNumber);

  /** The tables without these items and without references to them. */
  abstract CatalogTables without(CatalogTables tables, Collection<T> items);

  /** Checks that an item is consistent with the others in its snapshot. */
  abstract void check(CatalogSnapshot candidate, T item) throws RejectedException;

  /** Checks the conditions on a given value; an unchanged value is not checked. */
  void checkGiven(CatalogSnapshot candidate, T item, Fields given) throws RejectedException {}

  /** The existing item that equals the requested one; empty to create it. */
  Optional<T> alreadyThere(CatalogSnapshot snapshot, T item, Fields given)
      throws RejectedException {
    return Optional.empty();
  }

  /** Whether the catalog can be without this item. */
  boolean mayBeDeleted(T item) {
    return true;
  }

  /** Checks that an item can be deleted. */
  void checkDelete(T item) throws RejectedException {}
}
