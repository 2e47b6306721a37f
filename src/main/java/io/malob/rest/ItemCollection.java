package io.malob.rest;

import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogCondition;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Creation;
import io.malob.state.catalog.Fields;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The items of one kind, or those of them with a certain field value, as a REST resource. */
record ItemCollection<T extends CatalogItem>(
    Catalog catalog,
    CatalogKind<T> kind,
    FieldNames names,
    @Nullable ReadOnlyList<T> list,
    @Nullable String scopeField,
    @Nullable String scopeValue) {
  /** A read-only list of ids of an item, derived from other items. */
  record ReadOnlyList<T>(String name, BiFunction<CatalogSnapshot, T, List<String>> ids) {}

  /** All items of a kind. */
  static <T extends CatalogItem> ItemCollection<T> of(Catalog catalog, CatalogKind<T> kind) {
    return new ItemCollection<>(catalog, kind, FieldNames.of(kind), null, null, null);
  }

  /**
   * All items of a kind with a read-only list of ids, derived from other items.
   *
   * @param list the name of the list
   */
  static <T extends CatalogItem> ItemCollection<T> of(
      Catalog catalog,
      CatalogKind<T> kind,
      String list,
      BiFunction<CatalogSnapshot, T, List<String>> ids) {
    FieldNames names = FieldNames.of(kind, list);
    return new ItemCollection<>(catalog, kind, names, new ReadOnlyList<>(list, ids), null, null);
  }

  /** The name of the list of all items. */
  String name() {
    return kind.listName();
  }

  /** Those of the items that have this value in that field; new ones get it. */
  ItemCollection<T> where(String field, String value) {
    return new ItemCollection<>(catalog, kind, names, list, field, value);
  }

  /** A page of the items. */
  Reply list(Call call) throws RejectedException {
    CatalogSnapshot snapshot = catalog.snapshot();
    List<T> items = kind.in(snapshot).values().stream().filter(this::isHere).toList();
    return Page.of(call).of(items, CatalogItem::id, item -> shown(snapshot, item));
  }

  /** One item. */
  Reply show(Call call) throws RejectedException {
    return tagged(Reply.ok(shown(catalog.snapshot(), find(call.variable("id")))));
  }

  private static Reply tagged(Reply reply) {
    return reply.withTag(EntityTag.of(reply.body()));
  }

  /** Makes an item. */
  Reply create(Call call) throws IOException, RejectedException {
    Creation<T> creation = catalog.create(kind, checkScope(fieldsOf(read(call), List.of())));
    Object body = shown(catalog.snapshot(), creation.item());
    return tagged(
        creation.isNew() ? Reply.created(body, call, creation.item().id()) : Reply.ok(body));
  }

  /** Changes the item whose id is in the body. */
  Reply updateNamed(Call call) throws IOException, RejectedException {
    Map<String, JsonInput<RejectedException>> given = read(call);
    @Nullable JsonInput<RejectedException> id = given.get("id");
    if (id == null || !id.isThere()) {
      throw RejectedException.invalid("id", "id is required: which " + kind.noun() + "?");
    }
    String text = id.text().strip();
    find(text);
    return put(text, given, call);
  }

  /** Changes the given fields of the item, or creates it. */
  Reply put(Call call) throws IOException, RejectedException {
    return put(call.variable("id"), read(call), call);
  }

  private Reply put(String id, Map<String, JsonInput<RejectedException>> given, Call call)
      throws RejectedException {
    Optional<T> current = kind.find(catalog.snapshot(), id);
    Fields fields;
    if (current.isPresent()) {
      find(id);
      fields = fieldsOf(given, ids(catalog.snapshot(), current.get()));
    } else {
      fields = checkScope(fieldsOf(given, List.of()));
    }
    Creation<T> put = catalog.put(kind, id, fields, asSeen(id, call));
    Object body = shown(catalog.snapshot(), put.item());
    return tagged(put.isNew() ? Reply.created(body) : Reply.ok(body));
  }

  /** Changes a field of the item to the value in the path. */
  Reply set(String field, Call call) throws RejectedException {
    String id = call.variable("id");
    find(id);
    Fields fields = Fields.of(field, call.variable(field));
    Creation<T> put = catalog.put(kind, id, fields, asSeen(id, call));
    return tagged(Reply.ok(shown(catalog.snapshot(), put.item())));
  }

  /** Deletes an item, and returns its last state. */
  Reply delete(Call call) throws RejectedException {
    String id = call.variable("id");
    Object last = shown(catalog.snapshot(), find(id));
    catalog.delete(kind, id, asSeen(id, call));
    return Reply.ok(last);
  }

  /** The conditions of the client: that the item is as it has seen it, or that there is none. */
  private CatalogCondition asSeen(String id, Call call) {
    return now ->
        EntityTag.check(call, kind.find(now, id).map(item -> shown(now, item)).orElse(null));
  }

  private List<String> ids(CatalogSnapshot snapshot, T item) {
    return list == null ? List.of() : list.ids().apply(snapshot, item);
  }

  private T find(String id) throws RejectedException {
    Optional<T> item = kind.find(catalog.snapshot(), id).filter(this::isHere);
    return item.orElseThrow(
        () -> RejectedException.notFound("there is no " + kind.noun() + " " + id + here()));
  }

  private boolean isHere(T item) {
    return scopeField == null || Objects.equals(kind.value(item, scopeField), scopeValue);
  }

  private String here() {
    return scopeField == null ? "" : " with " + scopeField + " " + scopeValue;
  }

  private Fields checkScope(Fields fields) throws RejectedException {
    if (scopeField == null) {
      return fields;
    }
    String given = fields.get(scopeField);
    if (given != null && !given.strip().equals(scopeValue)) {
      throw RejectedException.invalid(
          scopeField, scopeField + " differs from the one in the URL, " + scopeValue);
    }
    return fields.with(scopeField, scopeValue);
  }

  private Map<String, JsonInput<RejectedException>> read(Call call)
      throws IOException, RejectedException {
    return names.of(call.json());
  }

  /** The writable fields of a request; the read-only list must be unchanged. */
  private Fields fieldsOf(Map<String, JsonInput<RejectedException>> given, List<String> listNow)
      throws RejectedException {
    Map<String, JsonInput<RejectedException>> writable = new LinkedHashMap<>(given);
    @Nullable JsonInput<RejectedException> ids = list == null ? null : writable.remove(list.name());
    if (ids != null && ids.isThere() && !ids.elements(JsonInput::text).equals(listNow)) {
      throw RejectedException.invalid(
          ids.place(), ids.place() + " is read-only: it is derived from other items");
    }
    return kind.fields(writable);
  }

  private Map<String, @Nullable Object> shown(CatalogSnapshot snapshot, T item) {
    Map<String, @Nullable Object> fields = kind.shown(item);
    if (list != null) {
      fields.put(list.name(), ids(snapshot, item));
    }
    return fields;
  }
}
