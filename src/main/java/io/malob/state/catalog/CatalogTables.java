package io.malob.state.catalog;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.json.RejectedException;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The stored content of a catalog, without indexes. Immutable.
 *
 * @param items the items of each kind by id, in the order in which they were created
 * @param lastNumbers the last number given to an item of each kind that has numbers; 0 if none was
 */
record CatalogTables(
    ImmutableMap<CatalogKind<?>, Map<String, ? extends CatalogItem>> items,
    ImmutableMap<CatalogKind<?>, Integer> lastNumbers) {

  /** The content of a new catalog: the default services table. */
  static CatalogTables empty() {
    ImmutableMap<CatalogKind<?>, Map<String, ? extends CatalogItem>> none =
        Maps.toMap(Catalog.KINDS, kind -> Map.of());
    return new CatalogTables(none, Maps.toMap(Catalog.KINDS, kind -> 0))
        .with(Catalog.SERVICES, plus(Map.of(), Service.shipped()));
  }

  /** The items of a kind. */
  @SuppressWarnings("unchecked") // with() stores them
  <T extends CatalogItem> Map<String, T> of(CatalogKind<T> kind) {
    return (Map<String, T>) items.getOrDefault(kind, Map.of());
  }

  int lastNumber(CatalogKind<?> kind) {
    return lastNumbers.getOrDefault(kind, 0);
  }

  <T extends CatalogItem> CatalogTables with(CatalogKind<T> kind, Map<String, T> newItems) {
    return new CatalogTables(with(items, kind, newItems), lastNumbers);
  }

  CatalogTables withLastNumber(CatalogKind<?> kind, int number) {
    return new CatalogTables(items, with(lastNumbers, kind, number));
  }

  private static <V> ImmutableMap<CatalogKind<?>, V> with(
      Map<CatalogKind<?>, V> map, CatalogKind<?> kind, V value) {
    Map<CatalogKind<?>, V> copy = new LinkedHashMap<>(map);
    copy.put(kind, value);
    return ImmutableMap.copyOf(copy);
  }

  /** The numbers of new items of a kind. */
  <T extends CatalogItem> FreeNumbers freeNumbers(CatalogKind<T> kind) {
    return new FreeNumbers(lastNumber(kind), kind.maxNumber()).without(of(kind).values(), kind);
  }

  /** The tables without these items and without references to them. */
  <T extends CatalogItem> CatalogTables without(CatalogKind<T> kind, Collection<T> fewer)
      throws RejectedException {
    Set<String> ids = fewer.stream().map(CatalogItem::id).collect(Collectors.toSet());
    Map<String, T> left = new LinkedHashMap<>(of(kind));
    left.keySet().removeAll(ids);
    CatalogTables tables = with(kind, Collections.unmodifiableMap(left));
    for (CatalogKind<?> other : Catalog.KINDS) {
      tables = tables.withoutReferences(other, kind, ids);
    }
    return tables;
  }

  private <T extends CatalogItem> CatalogTables withoutReferences(
      CatalogKind<T> kind, CatalogKind<?> target, Set<String> deleted) throws RejectedException {
    Map<String, T> changed = new LinkedHashMap<>();
    for (T item : of(kind).values()) {
      T left = kind.withoutReferences(item, target, deleted);
      if (left != item) {
        changed.put(item.id(), left);
      }
    }
    return changed.isEmpty() ? this : with(kind, plus(of(kind), changed.values()));
  }

  /** The map with these items added at its end, or replaced if the id exists. */
  static <T extends CatalogItem> Map<String, T> plus(Map<String, T> items, Collection<T> more) {
    Map<String, T> copy = new LinkedHashMap<>(items);
    more.forEach(item -> copy.put(item.id(), item));
    return Collections.unmodifiableMap(copy);
  }
}
