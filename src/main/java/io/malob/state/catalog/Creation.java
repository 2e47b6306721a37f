package io.malob.state.catalog;

/**
 * The answer to a create.
 *
 * @param item the item in the catalog
 * @param isNew false if the same service existed already
 */
public record Creation<T extends CatalogItem>(T item, boolean isNew) {}
