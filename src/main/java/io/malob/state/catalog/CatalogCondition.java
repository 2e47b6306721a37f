package io.malob.state.catalog;

import io.malob.json.RejectedException;

/** What has to hold for a change to be made. */
@FunctionalInterface
public interface CatalogCondition {
  /** Nothing in particular. */
  CatalogCondition NONE = now -> {};

  /**
   * Looks at the catalog as it is right before the change, while other writers wait.
   *
   * @throws RejectedException if the change must not be made
   */
  void check(CatalogSnapshot now) throws RejectedException;
}
