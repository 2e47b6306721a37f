package io.malob.rest;

import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogSnapshot;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A list of ids that an item is shown with, and that follows from other items.
 *
 * @param name what it is called in JSON
 * @param ids the ids for an item
 */
record ReadOnlyList<T extends CatalogItem>(
    String name, BiFunction<CatalogSnapshot, T, List<String>> ids) {}
