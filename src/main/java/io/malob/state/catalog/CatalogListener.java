package io.malob.state.catalog;

/** Is told of each change of the catalog. */
@FunctionalInterface
public interface CatalogListener {
  /**
   * The catalog has changed, is stored and is visible to readers. Called on the writer's thread, in
   * the order of the changes, while other writers wait: it must be quick, and must not write to the
   * catalog itself. What it throws is logged and changes nothing.
   *
   * @param before what the previous call had as {@code after}
   */
  void catalogChanged(CatalogSnapshot before, CatalogSnapshot after);
}
