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

/** A draft that begins with a snapshot. Not thread-safe. */
final class SnapshotDraft implements CatalogDraft {
  private final Supplier<String> newIds;
  private CatalogSnapshot snapshot;

  /**
   * A draft without a step.
   *
   * @param newIds the source of ids of new items; an id in use is skipped
   */
  SnapshotDraft(CatalogSnapshot snapshot, Supplier<String> newIds) {
    this.snapshot = snapshot;
    this.newIds = newIds;
  }

  @Override
  public CatalogSnapshot snapshot() {
    return snapshot;
  }

  @Override
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
    FreeNumbers numbers = kind.freeNumbers(snapshot.tables());
    Map<String, T> made = new LinkedHashMap<>();
    Map<String, Fields> given = new LinkedHashMap<>();
    List<Creation<T>> creations = new ArrayList<>();
    for (Fields fields : all) {
      FieldReader reader = new FieldReader(fields, kind.fieldNames());
      @Nullable String wanted = reader.optional("id", null, FieldFormat::id);
      // the number is a dummy until a free one is known to exist
      T requested = kind.read(reader, wanted == null ? freeId(items, made) : wanted, 0, null);
      String id = requested.id();
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
      T item = kind.read(reader, id, numbers.next(), null);
      made.put(id, item);
      given.put(id, fields);
      creations.add(new Creation<>(item, true));
    }
    if (!made.isEmpty()) {
      snapshot = checked(kind, made, given, numbers.last());
    }
    return creations;
  }

  @Override
  public <T extends CatalogItem> List<T> updateAll(CatalogKind<T> kind, Map<String, Fields> changes)
      throws RejectedException {
    Map<String, T> changed = new LinkedHashMap<>();
    boolean isSame = true;
    for (Map.Entry<String, Fields> change : changes.entrySet()) {
      String id = change.getKey();
      T current = existing(kind, id);
      FieldReader reader = new FieldReader(change.getValue(), kind.fieldNames());
      if (!reader.required("id", id, FieldFormat::id).equals(id)) {
        throw RejectedException.invalid(
            "id", "the id of " + kind.noun() + " " + id + " cannot be changed");
      }
      T item = kind.read(reader, id, 0, current);
      changed.put(id, item);
      isSame &= item.equals(current);
    }
    int lastNumber = kind.freeNumbers(snapshot.tables()).last();
    CatalogSnapshot after = checked(kind, changed, changes, lastNumber);
    if (!isSame) {
      snapshot = after;
    }
    return List.copyOf(changed.values());
  }

  @Override
  public <T extends CatalogItem> List<T> deleteAll(CatalogKind<T> kind, Collection<String> ids)
      throws RejectedException {
    List<T> items = new ArrayList<>();
    for (String id : ids) {
      T item = existing(kind, id);
      kind.checkDelete(item);
      items.add(item);
    }
    if (!items.isEmpty()) {
      snapshot = new CatalogSnapshot(kind.without(snapshot.tables(), items), snapshot);
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
    CatalogSnapshot candidate =
        new CatalogSnapshot(kind.with(snapshot.tables(), items.values(), lastNumber), snapshot);
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
}
