package io.malob.state.catalog;

import com.google.common.collect.ImmutableList;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * One of the six kinds of items with the rules for it: {@link Catalog#LOAD_BALANCERS}, {@link
 * Catalog#VIPS}, {@link Catalog#POOLS}, {@link Catalog#MEMBERS}, {@link Catalog#SERVICES}, {@link
 * Catalog#MONITORS}. Has no state.
 */
public abstract class CatalogKind<T extends CatalogItem> {
  private final String noun;
  private final String listName;
  private final int limit;
  private final boolean isNumbered;

  /** Filled by the constructor, in the order in which the fields are shown. */
  private final Map<String, Field<T, ?>> fields = new LinkedHashMap<>();

  private final Field<T, String> idField = required("id", CatalogItem::id, FieldFormat.ID);

  /**
   * A kind of items.
   *
   * @param isNumbered whether the items have numbers, from 1 to {@code limit}
   */
  CatalogKind(String noun, String listName, int limit, boolean isNumbered) {
    this.noun = noun;
    this.listName = listName;
    this.limit = limit;
    this.isNumbered = isNumbered;
  }

  private <V> Field<T, V> add(Field<T, V> field) {
    fields.put(field.name(), field);
    return field;
  }

  /** Adds a field that can be unset. */
  final <V> Field<T, V> field(String name, Function<T, @Nullable V> getter, FieldFormat<V> format) {
    return add(new Field<>(name, getter, format, false, null, false, null));
  }

  /** Adds a field with a value for items for which it is not given. */
  final <V> Field<T, V> field(
      String name, Function<T, @Nullable V> getter, FieldFormat<V> format, V fallback) {
    return add(new Field<>(name, getter, format, false, fallback, false, null));
  }

  /** Adds a field that a new item needs. */
  final <V> Field<T, V> required(
      String name, Function<T, @Nullable V> getter, FieldFormat<V> format) {
    return add(new Field<>(name, getter, format, true, null, false, null));
  }

  /** Adds the id of an item of another list, which can be unset. */
  final Field<T, String> reference(
      String name, Function<T, @Nullable String> getter, String target) {
    return add(new Field<>(name, getter, FieldFormat.ID, false, null, false, target));
  }

  /** Adds the fields of notes. */
  final Notes.Group<T> notes(Function<T, Notes> getter) {
    Notes.Group<T> notes = Notes.Group.of(getter);
    add(notes.description());
    add(notes.tags());
    add(notes.externalIds());
    return notes;
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
  public final ImmutableList<String> fieldNames() {
    return ImmutableList.copyOf(fields.keySet());
  }

  /** The field that has the id. */
  final Field<T, String> idField() {
    return idField;
  }

  /** The fields, in the order in which they are shown. */
  final Collection<Field<T, ?>> fields() {
    return fields.values();
  }

  /** The fields of an item with their values as JSON, in the order in which they are shown. */
  public final Map<String, @Nullable Object> shown(T item) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    fields.forEach((name, field) -> shown.put(name, field.shown(item)));
    return shown;
  }

  /** The value of one of the fields as JSON; null if it is not set, or there is no such field. */
  public final @Nullable Object value(T item, String fieldName) {
    @Nullable Field<T, ?> field = fields.get(fieldName);
    return field == null ? null : field.shown(item);
  }

  /** All items as {@link #shown} shows them, oldest first. */
  public final Stream<Map<String, @Nullable Object>> allShown(CatalogSnapshot snapshot) {
    return in(snapshot).values().stream().map(this::shown);
  }

  /** Rejects fields of other names. */
  final void checkNames(Fields given) throws RejectedException {
    for (String name : given.names()) {
      if (!fields.containsKey(name)) {
        throw RejectedException.invalid(
            name,
            "there is no field \"" + name + "\" here, only " + String.join(", ", fieldNames()));
      }
    }
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
      @Nullable Field<T, ?> known = fields.get(name);
      boolean mayHaveParts = known == null || known.format().hasParts();
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
  public final Map<String, T> in(CatalogSnapshot snapshot) {
    return snapshot.tables().of(this);
  }

  /** The item with that id; empty if there is none. */
  public final Optional<T> find(CatalogSnapshot snapshot, String id) {
    return Optional.ofNullable(in(snapshot).get(id));
  }

  /** The max number of items, which is the largest number; 0 if items have no numbers. */
  final int maxNumber() {
    return isNumbered ? limit : 0;
  }

  /** Reads an item, ignoring other items. */
  abstract T read(FieldReader<T> fields) throws RejectedException;

  /** The number of an item; 0 if items of this kind have none. */
  int numberOf(T item) {
    return 0;
  }

  /** Whether a reference of an item, if it has one, leads to an item of a snapshot. */
  final void checkReference(CatalogSnapshot candidate, T item, Field<T, String> reference)
      throws RejectedException {
    @Nullable String id = reference.getter().apply(item);
    for (CatalogKind<?> target : Catalog.KINDS) {
      if (id != null && target.isTargetOf(reference) && !target.in(candidate).containsKey(id)) {
        throw RejectedException.unprocessable(
            reference.name(), "there is no " + target.noun() + " " + id);
      }
    }
  }

  /** Rejects the address of a member. */
  static void checkNoMemberAt(CatalogSnapshot candidate, IPAddress<?> address)
      throws RejectedException {
    List<Member> members = candidate.membersAt(address);
    if (!members.isEmpty()) {
      throw RejectedException.conflict(
          "address", address + " is the address of member " + members.get(0).id());
    }
  }

  private boolean isTargetOf(Field<?, ?> field) {
    return listName.equals(field.target());
  }

  /** An item without its references to deleted ones. */
  final T withoutReferences(T item, CatalogKind<?> target, Set<String> deleted)
      throws RejectedException {
    T left = item;
    for (Field<T, ?> field : fields.values()) {
      @Nullable Object id = target.isTargetOf(field) ? field.getter().apply(item) : null;
      if (id != null && deleted.contains(id)) {
        left = read(new FieldReader<>(this, Fields.of(field.name(), (String) null), left));
      }
    }
    return left;
  }

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
