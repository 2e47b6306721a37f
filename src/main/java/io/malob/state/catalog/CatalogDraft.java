package io.malob.state.catalog;

import io.malob.json.RejectedException;

/**
 * A future catalog, changed step by step. Each step is checked against the draft at that time. For
 * the thread of its edit only.
 */
public interface CatalogDraft {
  /** The catalog after the steps so far. */
  CatalogSnapshot snapshot();

  /**
   * Adds an item. Fields that are missing or null are not set.
   *
   * @return the new item, or the same service if it exists already
   * @throws RejectedException if it cannot be; the draft has not changed then
   */
  <T extends CatalogItem> T create(CatalogKind<T> kind, Fields fields) throws RejectedException;

  /**
   * Changes the given fields, and no others; a field with null is cleared.
   *
   * @return the changed item
   * @throws RejectedException if it cannot be; the draft has not changed then
   */
  <T extends CatalogItem> T update(CatalogKind<T> kind, String id, Fields fields)
      throws RejectedException;

  /**
   * Deletes an item, and the references to it.
   *
   * @return the deleted item
   * @throws RejectedException if it cannot be; the draft has not changed then
   */
  <T extends CatalogItem> T delete(CatalogKind<T> kind, String id) throws RejectedException;
}
