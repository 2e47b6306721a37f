package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A future catalog, changed step by step. Each step is checked against the draft at that time, and
 * takes time in proportion to the catalog: many items of a kind are changed in one step. For the
 * thread of its edit only.
 */
public final class CatalogDraft {
  private final Supplier<String> newIds;
  private CatalogSnapshot snapshot;

  /**
   * A draft without a step.
   *
   * @param newIds the source of ids of new items; an id in use is skipped
   */
  CatalogDraft(CatalogSnapshot snapshot, Supplier<String> newIds) {
    this.snapshot = snapshot;
    this.newIds = newIds;
  }

  /** The catalog after the steps so far. */
  public CatalogSnapshot snapshot() {
    return snapshot;
  }

  /**
   * Adds items, in this order. Fields that are missing or null are not set.
   *
   * @return the new items, or the same service if it exists already
   * @throws RejectedException if one of them cannot be; the draft has not changed then
   */
  public <T extends CatalogItem> List<T> createAll(CatalogKind<T> kind, List<Fields> items)
      throws RejectedException {
    return addAll(kind, items).stream().map(Creation::item).toList();
  }

  /** Creates like {@link #create}, and says whether the item is new. */
  <T extends CatalogItem> Creation<T> add(CatalogKind<T> kind, Fields fields)
      throws RejectedException {
    return addAll(kind, List.of(fields)).get(0);
  }

  private <T extends CatalogItem> List<Creation<T>> addAll(CatalogKind<T> kind, List<Fields> all)
      throws RejectedException {
    Map<String, T> items = kind.in(snapshot);
    FreeNumbers numbers = snapshot.tables().freeNumbers(kind);
    Map<String, T> made = new LinkedHashMap<>();
    Map<String, Fields> given = new LinkedHashMap<>();
    List<Creation<T>> creations = new ArrayList<>();
    for (Fields fields : all) {
      kind.checkNames(fields);
      @Nullable String wanted = fields.get("id");
      String id = wanted == null ? freeId(items, made) : FieldFormat.ID.parse("id", wanted);
      // the number is a dummy until a free one is known to exist
      T requested = kind.read(new FieldReader<>(kind, fields, id, 0));
      Optional<T> there = kind.alreadyThere(snapshot, requested, fields);
      if (there.isPresent()) {
        creations.add(new Creation<>(there.get(), false));
        continue;
      }
      if (items.containsKey(id) || made.containsKey(id)) {
        throw RejectedException.conflict("id", "there is a " + kind.noun() + " " + id + " already");
      }
      int size = items.size() + made.size();
      if (size >= kind.limit()) {
        throw RejectedException.conflict(
            kind.listName(), "there are " + size + " " + kind.noun() + "s, the maximum");
      }
      T item = kind.read(new FieldReader<>(kind, fields, id, numbers.next()));
      made.put(id, item);
      given.put(id, fields);
      creations.add(new Creation<>(item, true));
    }
    if (!made.isEmpty()) {
      snapshot = checked(kind, made, given, numbers.last());
    }
    return creations;
  }

  /**
   * Changes the given fields of items, and no others; a field with null is cleared.
   *
   * @param changes the fields of each item, by its id
   * @return the changed items
   * @throws RejectedException if one of them cannot be; the draft has not changed then
   */
  public <T extends CatalogItem> List<T> updateAll(CatalogKind<T> kind, Map<String, Fields> changes)
      throws RejectedException {
    Map<String, T> changed = new LinkedHashMap<>();
    boolean isSame = true;
    for (Map.Entry<String, Fields> change : changes.entrySet()) {
      String id = change.getKey();
      T current = existing(kind, id);
      FieldReader<T> reader = new FieldReader<>(kind, change.getValue(), current);
      if (!reader.get(kind.idField()).equals(id)) {
        throw RejectedException.invalid(
            "id", "the id of " + kind.noun() + " " + id + " cannot be changed");
      }
      T item = kind.read(reader);
      changed.put(id, item);
      isSame &= item.equals(current);
    }
    int lastNumber = snapshot.tables().freeNumbers(kind).last();
    CatalogSnapshot after = checked(kind, changed, changes, lastNumber);
    if (!isSame) {
      snapshot = after;
    }
    return List.copyOf(changed.values());
  }

  /**
   * Deletes items, and the references to them.
   *
   * @return the deleted items
   * @throws RejectedException if one of them cannot be; the draft has not changed then
   */
  public <T extends CatalogItem> List<T> deleteAll(CatalogKind<T> kind, Collection<String> ids)
      throws RejectedException {
    List<T> items = new ArrayList<>();
    for (String id : ids) {
      T item = existing(kind, id);
      kind.checkDelete(item);
      items.add(item);
    }
    if (!items.isEmpty()) {
      snapshot = new CatalogSnapshot(snapshot.tables().without(kind, items), snapshot);
    }
    return items;
  }

  private <T extends CatalogItem> T existing(CatalogKind<T> kind, String id)
      throws RejectedException {
    return kind.find(snapshot, id)
        .orElseThrow(() -> RejectedException.notFound("there is no " + kind.noun() + " " + id));
  }

  private <T extends CatalogItem> CatalogSnapshot checked(
      CatalogKind<T> kind, Map<String, T> items, Map<String, Fields> given, int lastNumber)
      throws RejectedException {
    CatalogTables tables = snapshot.tables().withLastNumber(kind, lastNumber);
    CatalogSnapshot candidate =
        new CatalogSnapshot(
            tables.with(kind, CatalogTables.plus(tables.of(kind), items.values())), snapshot);
    for (T item : items.values()) {
      kind.check(candidate, item);
      kind.checkGiven(candidate, item, Objects.requireNonNull(given.get(item.id())));
    }
    return candidate;
  }

  private String freeId(Map<String, ?> taken, Map<String, ?> made) {
    String id = newIds.get();
    while (taken.containsKey(id) || made.containsKey(id)) {
      id = newIds.get();
    }
    return id;
  }

  /** Adds an item like {@link #createAll}. */
  public <T extends CatalogItem> T create(CatalogKind<T> kind, Fields fields)
      throws RejectedException {
    return createAll(kind, List.of(fields)).get(0);
  }

  /** Changes an item like {@link #updateAll}. */
  public <T extends CatalogItem> T update(CatalogKind<T> kind, String id, Fields fields)
      throws RejectedException {
    return updateAll(kind, Map.of(id, fields)).get(0);
  }

  /** Deletes an item like {@link #deleteAll}. */
  public <T extends CatalogItem> T delete(CatalogKind<T> kind, String id) throws RejectedException {
    return deleteAll(kind, List.of(id)).get(0);
  }
}
