package io.malob.rest;

import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogCondition;
import io.malob.state.catalog.CatalogException;
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
import java.util.stream.Collectors;
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
  Reply collection(Call call) throws IOException, RefusedException {
    try {
      return switch (call.method()) {
        case "GET" -> list(Page.of(call.query()));
        case "POST" -> create(read(call));
        case "PUT" -> updateNamed(read(call), call);
        default -> throw RefusedException.method(call.method(), "GET", "POST", "PUT");
      };
    } catch (CatalogException e) {
      throw RefusedException.of(e);
    }
  }

  /** Answers a request to one item. */
  Reply item(Call call, String id) throws IOException, RefusedException {
    try {
      return switch (call.method()) {
        case "GET" -> get(id, call);
        case "PUT" -> put(id, read(call), call);
        case "DELETE" -> delete(id, call);
        default -> throw RefusedException.method(call.method(), "GET", "PUT", "DELETE");
      };
    } catch (CatalogException e) {
      throw RefusedException.of(e);
    }
  }

  private Reply list(Page page) throws RefusedException {
    CatalogSnapshot snapshot = catalog.snapshot();
    List<T> items =
        kind.in(snapshot).values().stream().filter(this::isHere).collect(Collectors.toList());
    return page.of(items, CatalogItem::id, item -> shown(snapshot, item));
  }

  private Reply get(String id, Call call) throws RefusedException {
    call.checkNoParameters();
    return tagged(Reply.ok(shown(catalog.snapshot(), find(id))));
  }

  private static Reply tagged(Reply reply) {
    return reply.withTag(EntityTag.of(reply.body()));
  }

  private Reply create(Map<String, @Nullable Object> given)
      throws CatalogException, RefusedException {
    Fields fields = checkScope(fieldsOf(given, List.of()));
    Creation<T> creation = catalog.create(kind, fields);
    Object body = shown(catalog.snapshot(), creation.item());
    return tagged(creation.isNew() ? Reply.created(body) : Reply.ok(body));
  }

  private Reply updateNamed(Map<String, @Nullable Object> given, Call call)
      throws CatalogException, RefusedException {
    if (!(given.get("id") instanceof String id)) {
      throw new RefusedException(400, "id is required: which " + kind.noun() + "?", "id");
    }
    find(id.strip());
    return put(id.strip(), given, call);
  }

  /** Changes what is named of the item; where there is none, makes it of what is named. */
  private Reply put(String id, Map<String, @Nullable Object> given, Call call)
      throws CatalogException, RefusedException {
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

  private Reply delete(String id, Call call) throws CatalogException, RefusedException {
    call.checkNoParameters();
    Object last = shown(catalog.snapshot(), find(id));
    catalog.delete(kind, id, asSeen(id, call));
    return Reply.ok(last);
  }

  /** That the item is as the client has seen it, if the client says how that was. */
  private CatalogCondition asSeen(String id, Call call) {
    Optional<String> ifMatch = call.headers().get("If-Match");
    return now ->
        EntityTag.check(ifMatch, kind.find(now, id).map(item -> shown(now, item)).orElse(null));
  }

  private List<String> ids(CatalogSnapshot snapshot, T item) {
    return list == null ? List.of() : list.ids().apply(snapshot, item);
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

  private Map<String, @Nullable Object> read(Call call) throws IOException, RefusedException {
    call.checkNoParameters();
    return JsonFields.read(call.body().bytes(), names::here);
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
      } else if ((value instanceof List || value instanceof Map)
          && kind.fieldNames().contains(name)
          && !kind.takesParts(name)) {
        throw new RefusedException(400, name + " must be a text or a number", name);
      } else {
        fields.put(name, value == null ? null : Fields.text(value));
      }
    }
    return Fields.of(fields);
  }

  private Map<String, @Nullable Object> shown(CatalogSnapshot snapshot, T item) {
    Map<String, @Nullable Object> fields = item.fields();
    if (list != null) {
      fields.put(list.name(), ids(snapshot, item));
    }
    return fields;
  }
}
