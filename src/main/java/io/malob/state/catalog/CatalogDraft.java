package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * A future catalog, changed step by step. Each step is checked against the draft at that time, and
 * takes time in proportion to the catalog: many items of a kind are changed in one step. For the
 * thread of its edit only.
 */
public interface CatalogDraft {
  /** The catalog after the steps so far. */
  CatalogSnapshot snapshot();

  /**
   * Adds items, in this order. Fields that are missing or null are not set.
   *
   * @return the new items, or the same service if it exists already
   * @throws RejectedException if one of them cannot be; the draft has not changed then
   */
  <T extends CatalogItem> List<T> createAll(CatalogKind<T> kind, List<Fields> items)
      throws RejectedException;

  /**
   * Changes the given fields of items, and no others; a field with null is cleared.
   *
   * @param changes the fields of each item, by its id
   * @return the changed items
   * @throws RejectedException if one of them cannot be; the draft has not changed then
   */
  <T extends CatalogItem> List<T> updateAll(CatalogKind<T> kind, Map<String, Fields> changes)
      throws RejectedException;

  /**
   * Deletes items, and the references to them.
   *
   * @return the deleted items
   * @throws RejectedException if one of them cannot be; the draft has not changed then
   */
  <T extends CatalogItem> List<T> deleteAll(CatalogKind<T> kind, Collection<String> ids)
      throws RejectedException;

  /** Adds an item like {@link #createAll}. */
  default <T extends CatalogItem> T create(CatalogKind<T> kind, Fields fields)
      throws RejectedException {
    return createAll(kind, List.of(fields)).get(0);
  }

  /** Changes an item like {@link #updateAll}. */
  default <T extends CatalogItem> T update(CatalogKind<T> kind, String id, Fields fields)
      throws RejectedException {
    return updateAll(kind, Map.of(id, fields)).get(0);
  }

  /** Deletes an item like {@link #deleteAll}. */
  default <T extends CatalogItem> T delete(CatalogKind<T> kind, String id)
      throws RejectedException {
    return deleteAll(kind, List.of(id)).get(0);
  }
}
