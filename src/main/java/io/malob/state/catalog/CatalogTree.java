package io.malob.state.catalog;

import com.google.common.collect.Sets;
import io.malob.json.RejectedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All items of a future catalog, kind by kind. A kind without a list does not change; a kind with a
 * list gets the items of the list and no others, besides the default entry of the services table.
 * Immutable.
 */
public final class CatalogTree {
  private final Map<CatalogKind<?>, Map<String, Given>> byKind;

  /** The requested fields of an item, and its index in the list. */
  private record Given(int index, Fields fields) {}

  private CatalogTree(Map<CatalogKind<?>, Map<String, Given>> byKind) {
    this.byKind = byKind;
  }

  /**
   * A tree of items.
   *
   * @param lists the items of each kind; fields that are missing or null are not set
   * @throws RejectedException if an item has no id, or two of a kind have the same
   */
  public static CatalogTree of(Map<CatalogKind<?>, List<Fields>> lists) throws RejectedException {
    Map<CatalogKind<?>, Map<String, Given>> byKind = new LinkedHashMap<>();
    for (Map.Entry<CatalogKind<?>, List<Fields>> entry : lists.entrySet()) {
      byKind.put(entry.getKey(), byId(entry.getKey(), entry.getValue()));
    }
    return new CatalogTree(byKind);
  }

  private static Map<String, Given> byId(CatalogKind<?> kind, List<Fields> list)
      throws RejectedException {
    Map<String, Given> byId = new LinkedHashMap<>();
    for (int index = 0; index < list.size(); index++) {
      String place = kind.listName() + "[" + index + "].id";
      @Nullable String text = list.get(index).get("id");
      if (text == null) {
        throw RejectedException.invalid(place, place + " is required");
      }
      String id = FieldFormat.id(place, text.strip());
      if (byId.put(id, new Given(index, list.get(index))) != null) {
        throw RejectedException.invalid(
            place, "there are two " + kind.noun() + "s with the id " + id);
      }
    }
    return byId;
  }

  /**
   * The catalog with these items, checked as a whole.
   *
   * @throws RejectedException if an item is invalid; its field is named as in {@code
   *     members[3].port}
   */
  CatalogSnapshot appliedTo(CatalogSnapshot before) throws RejectedException {
    CatalogTables tables = before.tables();
    for (CatalogKind<?> kind : Catalog.KINDS) {
      tables = with(tables, kind);
    }
    CatalogSnapshot after = new CatalogSnapshot(tables, before);
    for (CatalogKind<?> kind : Catalog.KINDS) {
      checkAll(kind, after);
    }
    return after;
  }

  private <T extends CatalogItem> CatalogTables with(CatalogTables tables, CatalogKind<T> kind)
      throws RejectedException {
    @Nullable Map<String, Given> given = byKind.get(kind);
    if (given == null) {
      return tables;
    }
    Map<String, T> old = tables.of(kind);
    // remaining items keep their position
    Map<String, T> items = new LinkedHashMap<>(old);
    items.values().removeIf(item -> !given.containsKey(item.id()) && kind.mayBeDeleted(item));
    FreeNumbers free =
        new FreeNumbers(tables.lastNumber(kind), kind.maxNumber()).without(items.values(), kind);
    for (Map.Entry<String, Given> entry : given.entrySet()) {
      String id = entry.getKey();
      try {
        @Nullable T current = items.get(id);
        int number = current == null ? free.next() : kind.numberOf(current);
        items.put(id, kind.read(new FieldReader<>(kind, entry.getValue().fields, id, number)));
      } catch (RejectedException e) {
        throw at(kind, entry.getValue(), id, e);
      }
    }
    if (items.size() > kind.limit()) {
      throw RejectedException.conflict(
          kind.listName(), "at most " + kind.limit() + " " + kind.noun() + "s are possible");
    }
    CatalogTables numbered = tables.withLastNumber(kind, free.last());
    return items.equals(old) ? numbered : numbered.with(kind, Collections.unmodifiableMap(items));
  }

  private <T extends CatalogItem> void checkAll(CatalogKind<T> kind, CatalogSnapshot after)
      throws RejectedException {
    for (T item : kind.in(after).values()) {
      @Nullable Given given = byKind.getOrDefault(kind, Map.of()).get(item.id());
      try {
        kind.check(after, item);
        if (given != null) {
          kind.checkGiven(after, item, given.fields);
        }
      } catch (RejectedException e) {
        throw at(kind, given, item.id(), e);
      }
    }
  }

  private static RejectedException at(
      CatalogKind<?> kind, @Nullable Given given, String id, RejectedException e) {
    @Nullable String field = e.field().orElse(null);
    String place = given == null ? "" : kind.listName() + "[" + given.index + "].";
    return new RejectedException(
        e.reason(),
        kind.noun() + " " + id + ": " + e.getMessage(),
        field == null ? null : place + field);
  }

  /** The changes from one catalog to the other, kind by kind. */
  static List<ItemChange<?>> changes(CatalogSnapshot before, CatalogSnapshot after) {
    List<ItemChange<?>> changes = new ArrayList<>();
    Catalog.KINDS.forEach(kind -> addChanges(changes, kind, before, after));
    return changes;
  }

  /** First the removed items, then the others. */
  private static <T extends CatalogItem> void addChanges(
      List<ItemChange<?>> changes,
      CatalogKind<T> kind,
      CatalogSnapshot before,
      CatalogSnapshot after) {
    Stream.concat(
            Sets.difference(kind.in(before).keySet(), kind.in(after).keySet()).stream(),
            kind.in(after).keySet().stream())
        .map(id -> new ItemChange<>(kind, kind.find(before, id), kind.find(after, id)))
        .filter(change -> !change.before().equals(change.after()))
        .forEach(changes::add);
  }
}
