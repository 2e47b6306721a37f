package io.malob.rest;

import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogSnapshot;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A read-only list of ids of an item, derived from other items.
 *
 * @param name its name in JSON
 * @param ids the ids for an item
 */
record ReadOnlyList<T extends CatalogItem>(
    String name, BiFunction<CatalogSnapshot, T, List<String>> ids) {}
