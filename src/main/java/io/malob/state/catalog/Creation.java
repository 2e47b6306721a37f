package io.malob.state.catalog;

/**
 * The answer to a create.
 *
 * @param item what is in the catalog now
 * @param isNew false if the very same service was there already
 */
public record Creation<T extends CatalogItem>(T item, boolean isNew) {}
