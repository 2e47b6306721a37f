package io.malob.rest;

import com.google.common.collect.ImmutableSet;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Fields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The format of items of one kind in OpenStack's API for load balancers, Octavia v2. Has no state.
 */
abstract class LbaasFormat<T extends CatalogItem> {
  private final String noun;
  private final CatalogKind<T> kind;
  private final ImmutableSet<String> writable;

  LbaasFormat(String noun, CatalogKind<T> kind, String... writable) {
    this.noun = noun;
    this.kind = kind;
    this.writable = ImmutableSet.copyOf(writable);
  }

  /** The wrapper of one item, as in {@code listener}; that of a list has an additional s. */
  final String noun() {
    return noun;
  }

  /** The items in the catalog. */
  final CatalogKind<T> kind() {
    return kind;
  }

  /**
   * The catalog's fields for the given ones.
   *
   * @throws RejectedException if one is unknown, or its value has no equivalent
   */
  final Fields fields(JsonInput<RejectedException> item) throws RejectedException {
    Map<String, @Nullable String> given = new LinkedHashMap<>();
    for (Map.Entry<String, JsonInput<RejectedException>> field :
        item.only(writable).fields().entrySet()) {
      JsonInput<RejectedException> value = field.getValue();
      given.put(field.getKey(), value.isNull() ? null : value.text());
    }
    return Fields.of(read(given));
  }

  /** The catalog's fields for these, all of which can be written. */
  abstract Map<String, @Nullable String> read(Map<String, @Nullable String> given)
      throws RejectedException;

  /** The representation of an item. */
  abstract Map<String, @Nullable Object> shown(T item, CatalogSnapshot catalog, LbaasStatus status);

  /** Checks a state that never changes for items of a kind. */
  static void checkIsUp(Map<String, @Nullable String> given) throws RejectedException {
    if (given.containsKey("admin_state_up") && !"true".equals(given.get("admin_state_up"))) {
      throw RejectedException.unprocessable(
          "admin_state_up", "only members can be set down; delete it instead");
    }
  }

  /** Copies a field under another name, if it was given. */
  static void copy(
      Map<String, @Nullable String> from,
      String name,
      Map<String, @Nullable String> to,
      String newName) {
    if (from.containsKey(name)) {
      to.put(newName, from.get(name));
    }
  }

  /** Ids as they are shown in references: each in an object of its own. */
  static List<Map<String, String>> references(List<String> ids) {
    return ids.stream().map(id -> Map.of("id", id)).collect(Collectors.toList());
  }
}
