package io.malob.state.catalog;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One of the five kinds of items with the rules for it: {@link Catalog#VIPS}, {@link
 * Catalog#POOLS}, {@link Catalog#MEMBERS}, {@link Catalog#SERVICES}, {@link Catalog#MONITORS}. Has
 * no state.
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

  /** What one item is called in sentences. */
  public final String noun() {
    return noun;
  }

  /** What the list of all items is called in URLs and in trees. */
  public final String listName() {
    return listName;
  }

  /** How many items there can be. */
  public final int limit() {
    return limit;
  }

  /** The names of the fields, in the order in which they are shown. */
  public final List<String> fieldNames() {
    return fieldNames;
  }

  /** Whether the value of a field may be a list or an object, of texts without commas. */
  public boolean takesParts(String fieldName) {
    return false;
  }

  /** The items of this kind by id, oldest first. */
  public abstract Map<String, T> in(CatalogSnapshot snapshot);

  /** The item with that id; empty if there is none. */
  public final Optional<T> find(CatalogSnapshot snapshot, String id) {
    return Optional.ofNullable(in(snapshot).get(id));
  }

  /**
   * Reads an item from fields, without regard to other items.
   *
   * @param current the item as it is now; null if it is new
   * @param number what a new item has as its number, if items of this kind have one
   */
  abstract T read(FieldReader fields, String id, int number, @Nullable T current)
      throws CatalogException;

  /** The number of an item; 0 if items of this kind have none. */
  int numberOf(T item) {
    return 0;
  }

  /** The number for the next new item; 0 if items of this kind have none. */
  int nextNumber(CatalogTables tables) {
    return 0;
  }

  /** The tables with this item as a new one, or in place of the one with the same id. */
  abstract CatalogTables with(CatalogTables tables, T item);

  /** The tables without this item and without references to it. */
  abstract CatalogTables without(CatalogTables tables, T item);

  /** Checks that an item agrees with the others in the snapshot that it is already part of. */
  abstract void check(CatalogSnapshot candidate, T item) throws CatalogException;

  /** Checks what only a given value has to fulfil, and not one that is left as it is. */
  void checkGiven(CatalogSnapshot candidate, T item, Fields given) throws CatalogException {}

  /** The item that is there already and is all that the new one asks for; empty to go on. */
  Optional<T> alreadyThere(CatalogSnapshot snapshot, T item, Fields given) throws CatalogException {
    return Optional.empty();
  }

  /** Whether there can be a catalog without this item. */
  boolean mayBeDeleted(T item) {
    return true;
  }

  /** Checks that an item can be deleted. */
  void checkDelete(T item) throws CatalogException {}
}
