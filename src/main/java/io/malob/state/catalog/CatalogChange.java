package io.malob.state.catalog;

import java.util.Optional;

/**
 * One item that is added, changed or removed. Immutable.
 *
 * @param kind the kind of the item
 * @param before the item as it was; empty if it is new
 * @param after the item as it is then; empty if it is removed; one of both is there
 */
public record CatalogChange(
    CatalogKind<?> kind,
    Optional<? extends CatalogItem> before,
    Optional<? extends CatalogItem> after) {

  /** The id of the item. */
  public String id() {
    return after.isPresent() ? after.get().id() : before.orElseThrow().id();
  }
}
