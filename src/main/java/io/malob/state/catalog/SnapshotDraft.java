package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

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
  public <T extends CatalogItem> T create(CatalogKind<T> kind, Fields fields)
      throws RejectedException {
    return add(kind, fields).item();
  }

  /** Creates like {@link #create}, and says whether the item is new. */
  <T extends CatalogItem> Creation<T> add(CatalogKind<T> kind, Fields fields)
      throws RejectedException {
    FieldReader reader = new FieldReader(fields, kind.fieldNames());
    String given = reader.optional("id", null, FieldFormat::id);
    Map<String, T> items = kind.in(snapshot);
    // the number is a dummy until a free one is known to exist
    T requested = kind.read(reader, given == null ? freeId(items) : given, 0, null);
    Optional<T> there = kind.alreadyThere(snapshot, requested, fields);
    if (there.isPresent()) {
      return new Creation<>(there.get(), false);
    }
    if (items.containsKey(requested.id())) {
      throw RejectedException.conflict(
          "id", "there is a " + kind.noun() + " " + given + " already");
    }
    if (items.size() >= kind.limit()) {
      throw RejectedException.conflict(
          kind.listName(), "there are " + items.size() + " " + kind.noun() + "s, the maximum");
    }
    T item = kind.read(reader, requested.id(), kind.nextNumber(snapshot.tables()), null);
    snapshot = checked(kind, item, fields);
    return new Creation<>(item, true);
  }

  @Override
  public <T extends CatalogItem> T update(CatalogKind<T> kind, String id, Fields fields)
      throws RejectedException {
    T current = existing(kind, id);
    FieldReader reader = new FieldReader(fields, kind.fieldNames());
    if (!reader.required("id", id, FieldFormat::id).equals(id)) {
      throw RejectedException.invalid(
          "id", "the id of " + kind.noun() + " " + id + " cannot be changed");
    }
    T item = kind.read(reader, id, 0, current);
    CatalogSnapshot after = checked(kind, item, fields);
    if (!item.equals(current)) {
      snapshot = after;
    }
    return item;
  }

  @Override
  public <T extends CatalogItem> T delete(CatalogKind<T> kind, String id) throws RejectedException {
    T item = existing(kind, id);
    kind.checkDelete(item);
    snapshot = new CatalogSnapshot(kind.without(snapshot.tables(), item), snapshot);
    return item;
  }

  private <T extends CatalogItem> T existing(CatalogKind<T> kind, String id)
      throws RejectedException {
    return kind.find(snapshot, id)
        .orElseThrow(() -> RejectedException.notFound("there is no " + kind.noun() + " " + id));
  }

  private <T extends CatalogItem> CatalogSnapshot checked(CatalogKind<T> kind, T item, Fields given)
      throws RejectedException {
    CatalogSnapshot candidate = new CatalogSnapshot(kind.with(snapshot.tables(), item), snapshot);
    kind.check(candidate, item);
    kind.checkGiven(candidate, item, given);
    return candidate;
  }

  private String freeId(Map<String, ?> taken) {
    String id = newIds.get();
    while (taken.containsKey(id)) {
      id = newIds.get();
    }
    return id;
  }
}
