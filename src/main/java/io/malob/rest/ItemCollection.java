package io.malob.rest;

import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogException;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Creation;
import io.malob.state.catalog.Fields;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The items of one kind, or those of them with a certain field value, as a REST resource. */
final class ItemCollection<T extends CatalogItem> {
  private final Catalog catalog;
  private final CatalogKind<T> kind;
  private final FieldNames names;
  private final @Nullable ReadOnlyList<T> list;
  private final @Nullable String scopeField;
  private final @Nullable String scopeValue;

  /**
   * All items of a kind.
   *
   * @param list a list that the items are shown with, if they have one
   */
  ItemCollection(
      Catalog catalog, CatalogKind<T> kind, FieldNames names, @Nullable ReadOnlyList<T> list) {
    this(catalog, kind, names, list, null, null);
  }

  private ItemCollection(
      Catalog catalog,
      CatalogKind<T> kind,
      FieldNames names,
      @Nullable ReadOnlyList<T> list,
      @Nullable String scopeField,
      @Nullable String scopeValue) {
    this.catalog = catalog;
    this.kind = kind;
    this.names = names;
    this.list = list;
    this.scopeField = scopeField;
    this.scopeValue = scopeValue;
  }

  /** Those of the items that have this value in that field; new ones get it. */
  ItemCollection<T> where(String field, String value) {
    return new ItemCollection<>(catalog, kind, names, list, field, value);
  }

  /** Answers a request to the collection. */
  Reply collection(String method, RequestBody body) throws IOException, RefusedException {
    try {
      return switch (method) {
        case "GET" -> list();
        case "POST" -> create(read(body));
        case "PUT" -> updateNamed(read(body));
        default -> throw RefusedException.method(method, "GET", "POST", "PUT");
      };
    } catch (CatalogException e) {
      throw RefusedException.of(e);
    }
  }

  /** Answers a request to one item. */
  Reply item(String method, String id, RequestBody body) throws IOException, RefusedException {
    try {
      return switch (method) {
        case "GET" -> Reply.ok(shown(catalog.snapshot(), find(id)));
        case "PUT" -> update(id, read(body));
        case "DELETE" -> delete(id);
        default -> throw RefusedException.method(method, "GET", "PUT", "DELETE");
      };
    } catch (CatalogException e) {
      throw RefusedException.of(e);
    }
  }

  private Reply list() {
    CatalogSnapshot snapshot = catalog.snapshot();
    List<Object> items = new ArrayList<>();
    for (T item : kind.in(snapshot).values()) {
      if (isHere(item)) {
        items.add(shown(snapshot, item));
      }
    }
    return Reply.ok(items);
  }

  private Reply create(Map<String, @Nullable Object> given)
      throws CatalogException, RefusedException {
    Fields fields = checkScope(fieldsOf(given, List.of()));
    Creation<T> creation = catalog.create(kind, fields);
    Object body = shown(catalog.snapshot(), creation.item());
    return creation.isNew() ? Reply.created(body) : Reply.ok(body);
  }

  private Reply updateNamed(Map<String, @Nullable Object> given)
      throws CatalogException, RefusedException {
    if (!(given.get("id") instanceof String id)) {
      throw new RefusedException(400, "id is required: which " + kind.noun() + "?", "id");
    }
    return update(id.strip(), given);
  }

  private Reply update(String id, Map<String, @Nullable Object> given)
      throws CatalogException, RefusedException {
    T current = find(id);
    List<String> ids = list == null ? List.of() : list.ids().apply(catalog.snapshot(), current);
    T item = catalog.update(kind, id, fieldsOf(given, ids));
    return Reply.ok(shown(catalog.snapshot(), item));
  }

  private Reply delete(String id) throws CatalogException, RefusedException {
    Object last = shown(catalog.snapshot(), find(id));
    catalog.delete(kind, id);
    return Reply.ok(last);
  }

  private T find(String id) throws RefusedException {
    Optional<T> item = kind.find(catalog.snapshot(), id).filter(this::isHere);
    return item.orElseThrow(
        () -> new RefusedException(404, "there is no " + kind.noun() + " " + id + here(), null));
  }

  private boolean isHere(T item) {
    return scopeField == null || Objects.equals(item.fields().get(scopeField), scopeValue);
  }

  private String here() {
    return scopeField == null ? "" : " with " + scopeField + " " + scopeValue;
  }

  private Fields checkScope(Fields fields) throws RefusedException {
    if (scopeField == null) {
      return fields;
    }
    String given = fields.get(scopeField);
    if (given != null && !given.strip().equals(scopeValue)) {
      throw new RefusedException(
          400, scopeField + " is not the one in the URL, " + scopeValue, scopeField);
    }
    return fields.with(scopeField, scopeValue);
  }

  private Map<String, @Nullable Object> read(RequestBody body)
      throws IOException, RefusedException {
    return JsonFields.read(body.bytes(), names::here);
  }

  /** What a client may write of what it gave; the list may be in it only as it is. */
  private Fields fieldsOf(Map<String, @Nullable Object> given, List<String> listNow)
      throws RefusedException {
    Map<String, @Nullable String> fields = new LinkedHashMap<>();
    for (Map.Entry<String, @Nullable Object> field : given.entrySet()) {
      String name = field.getKey();
      Object value = field.getValue();
      if (list != null && name.equals(list.name())) {
        if (value != null && !value.equals(listNow)) {
          throw new RefusedException(400, name + " is read-only: it follows from others", name);
        }
      } else if (value instanceof List && kind.fieldNames().contains(name)) {
        throw new RefusedException(400, name + " must be a text or a number", name);
      } else {
        fields.put(name, value == null ? null : value.toString());
      }
    }
    return Fields.of(fields);
  }

  private Map<String, @Nullable Object> shown(CatalogSnapshot snapshot, T item) {
    Map<String, @Nullable Object> fields = item.fields();
    if (list != null) {
      fields.put(list.name(), list.ids().apply(snapshot, item));
    }
    return fields;
  }
}
