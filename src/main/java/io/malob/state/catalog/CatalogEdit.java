package io.malob.state.catalog;

import io.malob.json.RejectedException;

/** Several changes of the catalog that are made together or not at all. */
@FunctionalInterface
public interface CatalogEdit {
  /**
   * Makes the changes on a draft, while other writers wait.
   *
   * @throws RejectedException if none of them must be made
   */
  void on(CatalogDraft draft) throws RejectedException;
}
