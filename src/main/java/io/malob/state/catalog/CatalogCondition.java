package io.malob.state.catalog;

import io.malob.json.RejectedException;

/** A precondition of a change. */
@FunctionalInterface
public interface CatalogCondition {
  /** Nothing in particular. */
  CatalogCondition NONE = now -> {};

  /**
   * Checks the catalog right before the change, while other writers wait.
   *
   * @throws RejectedException if the change must not be made
   */
  void check(CatalogSnapshot now) throws RejectedException;
}
