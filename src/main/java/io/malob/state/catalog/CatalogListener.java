package io.malob.state.catalog;

/** Listener for changes of the catalog. */
@FunctionalInterface
public interface CatalogListener {
  /**
   * The catalog has changed, is stored and is visible to readers. Called on the writer's thread, in
   * the order of the changes, while other writers wait: it must be fast, and must not write to the
   * catalog itself. Its exceptions are logged and have no effect.
   *
   * @param before the {@code after} of the previous call
   */
  void catalogChanged(CatalogSnapshot before, CatalogSnapshot after);
}
