package io.malob.rest.octavia;

import com.google.common.collect.ImmutableBiMap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogKind;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a type of objects: when they can be given, the catalog's field of each, and how
 * they are shown. Filled once, in the order in which they are shown.
 */
final class Attributes<T extends CatalogItem> {
  /** The names of the catalog's fields here. */
  static final ImmutableBiMap<String, String> NAMES =
      ImmutableBiMap.<String, String>builder()
          .put("port", "protocol_port")
          .put("vip_id", "listener_id")
          .put("load_balancer_id", "loadbalancer_id")
          .put("lb_method", "lb_algorithm")
          .put("admin_state", "admin_state_up")
          .put("allowed_sources", "allowed_cidrs")
          .put("rise", "max_retries")
          .put("attempts_before_deactivation", "max_retries_down")
          .put("load_balancers", "loadbalancers")
          .put("vips", "listeners")
          .put("health_monitors", "healthmonitors")
          .build();

  private static final ImmutableSet<String> OF_ALL =
      ImmutableSet.of("name", "description", "admin_state_up", "tags", "project_id", "tenant_id");

  private final CatalogKind<T> kind;
  private final Map<String, When> given = new LinkedHashMap<>();
  private final Map<String, String> copied = new LinkedHashMap<>();
  private final Set<String> kept = new LinkedHashSet<>(Set.of("project_id"));
  private final Map<String, String> refused = new LinkedHashMap<>();
  private final Map<String, BiFunction<T, View, @Nullable Object>> shown = new LinkedHashMap<>();
  private ImmutableSet<String> filters = ImmutableSet.of();

  Attributes(CatalogKind<T> kind) {
    this.kind = kind;
    OF_ALL.forEach(name -> given.put(name, When.ANY));
  }

  /** When an attribute can be given. */
  enum When {
    /** For new objects only. */
    NEW,
    /** For new objects, and in changes. */
    ANY
  }

  /** Attributes that the catalog has as fields. */
  Attributes<T> copied(When when, String... names) {
    for (String name : names) {
      renamed(when, name, NAMES.inverse().getOrDefault(name, name));
    }
    return this;
  }

  /** An attribute that the catalog has as a field by another name. */
  Attributes<T> renamed(When when, String name, String field) {
    copied.put(name, field);
    return given(when, name, (item, view) -> kind.value(item, field));
  }

  /** An attribute that the type itself reads. */
  Attributes<T> given(When when, String name, BiFunction<T, View, @Nullable Object> value) {
    given.put(name, when);
    return shown(name, value);
  }

  /** Attributes that the type itself reads, and that are not shown. */
  Attributes<T> hidden(When when, String... names) {
    for (String name : names) {
      given.put(name, when);
    }
    return this;
  }

  /** An attribute that is kept without effect. */
  Attributes<T> kept(When when, String name) {
    kept.add(name);
    return given(when, name, (item, view) -> item.notes().externalIds().get(name));
  }

  /** An attribute that is only shown. */
  Attributes<T> shown(String name, BiFunction<T, View, @Nullable Object> value) {
    shown.put(name, value);
    return this;
  }

  /**
   * Attributes of Octavia without counterpart.
   *
   * @param why the sentence that says so if one is given
   * @param value the value that clients expect
   */
  Attributes<T> refused(String why, @Nullable Object value, String... names) {
    for (String name : names) {
      refused.put(name, why);
      shown.put(name, (item, view) -> value);
    }
    return this;
  }

  /** An attribute of Octavia without counterpart, which objects are shown without. */
  Attributes<T> refusedAndHidden(String why, String name) {
    refused.put(name, why);
    return this;
  }

  /** The attributes by which lists are filtered and sorted: those of all types, and these. */
  Attributes<T> filteredBy(String... more) {
    filters =
        ImmutableSet.<String>builder()
            .add("id", "name", "description", "admin_state_up", "project_id", "tenant_id")
            .add("provisioning_status", "operating_status", "created_at", "updated_at")
            .add(more)
            .build();
    return this;
  }

  ImmutableSet<String> filters() {
    return filters;
  }

  /** The names of those that can be given then. */
  ImmutableSet<String> names(When when) {
    return given.entrySet().stream()
        .filter(each -> each.getValue() == when)
        .map(Map.Entry::getKey)
        .collect(ImmutableSet.toImmutableSet());
  }

  /** All that can be given for new objects. */
  ImmutableSet<String> all() {
    return ImmutableSet.copyOf(given.keySet());
  }

  /** The names of those without counterpart, with the sentences that say so. */
  ImmutableMap<String, String> refused() {
    return ImmutableMap.copyOf(refused);
  }

  /** The fields of the catalog, by the names of their attributes. */
  Map<String, String> copied() {
    return copied;
  }

  /** The names of those that are kept without effect. */
  Set<String> kept() {
    return kept;
  }

  /** Adds the attributes of an object. */
  void addTo(Map<String, @Nullable Object> object, T item, View view) {
    shown.forEach((name, value) -> object.put(name, value.apply(item, view)));
  }
}
