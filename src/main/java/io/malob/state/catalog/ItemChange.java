package io.malob.state.catalog;

import java.util.Optional;

/**
 * One item that is added, changed or removed. Immutable.
 *
 * @param kind the kind of the item
 * @param before the item before the change; empty if it is new
 * @param after the item after the change; empty if it is removed; max one of both is empty
 */
public record ItemChange<T extends CatalogItem>(
    CatalogKind<T> kind, Optional<T> before, Optional<T> after) {

  /** The id of the item. */
  public String id() {
    return after.isPresent() ? after.get().id() : before.orElseThrow().id();
  }
}
