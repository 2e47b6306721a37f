package io.malob.rest.octavia;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.malob.json.RejectedException;
import io.malob.state.catalog.CatalogDraft;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Notes;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One of Octavia's types of objects: its form, and the edits that requests ask for. No state. */
abstract class ObjectType<T> {
  private static final ImmutableSet<String> OF_ALL =
      ImmutableSet.of("name", "description", "admin_state_up", "tags", "project_id", "tenant_id");

  /** The names of the catalog's fields here. */
  private static final ImmutableMap<String, String> OTHER_NAMES =
      ImmutableMap.<String, String>builder()
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

  private final String noun;
  private final ImmutableSet<String> onlyNew;
  private final ImmutableSet<String> changeable;
  private final ImmutableMap<String, String> unsupported;

  /**
   * A type.
   *
   * @param noun the wrapper of one object, as in {@code listener}
   * @param onlyNew the attributes that are given for new objects only
   * @param changeable those that can be changed, besides the ones that all types have
   * @param unsupported those of Octavia that have no effect here, with a sentence
   */
  ObjectType(
      String noun,
      ImmutableSet<String> onlyNew,
      ImmutableSet<String> changeable,
      ImmutableMap<String, String> unsupported) {
    this.noun = noun;
    this.onlyNew = onlyNew;
    this.changeable = changeable;
    this.unsupported = unsupported;
  }

  final String noun() {
    return noun;
  }

  /** The name of a list of them. */
  final String plural() {
    return noun + "s";
  }

  /** All objects, oldest first. */
  abstract Collection<T> all(CatalogSnapshot catalog);

  /** The attributes. */
  abstract Map<String, @Nullable Object> shown(T item, View view);

  /** Adds an object. Returns its id. */
  abstract String create(CatalogDraft draft, Body body) throws RejectedException;

  /** Changes the given attributes. */
  abstract void update(CatalogDraft draft, T item, Body body) throws RejectedException;

  /** Deletes an object. cascade: also what it contains. */
  abstract void delete(CatalogDraft draft, T item, boolean cascade) throws RejectedException;

  /** Checks the attributes of a new object. */
  final void checkNew(Body body) throws RejectedException {
    ImmutableSet.Builder<String> known = ImmutableSet.builder();
    body.check(known.addAll(OF_ALL).addAll(changeable).addAll(onlyNew).build(), unsupported);
  }

  /** Checks the attributes of a change. */
  final void checkChange(Body body) throws RejectedException {
    for (String name : onlyNew) {
      if (body.has(name)) {
        throw RejectedException.invalid(name, name + " cannot be changed");
      }
    }
    ImmutableSet.Builder<String> known = ImmutableSet.builder();
    body.check(known.addAll(OF_ALL).addAll(changeable).build(), unsupported);
  }

  /** The object with that id; empty if there is none. */
  abstract Optional<T> find(CatalogSnapshot catalog, String id);

  /**
   * The object with that id.
   *
   * @throws RejectedException if there is none
   */
  final T existing(CatalogSnapshot catalog, String id) throws RejectedException {
    return find(catalog, id)
        .orElseThrow(() -> RejectedException.notFound("there is no " + noun + " " + id));
  }

  /** The attribute for a field of the catalog. */
  String attribute(String field) {
    return OTHER_NAMES.getOrDefault(field, field);
  }

  /** The first attributes of all objects. */
  static Map<String, @Nullable Object> named(String id, String name, Notes notes) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("id", id);
    shown.put("name", name);
    shown.put("description", notes.description());
    return shown;
  }

  /** The last attributes of all objects. */
  static void addCommon(
      Map<String, @Nullable Object> shown,
      Notes notes,
      List<String> vendorTags,
      boolean isUp,
      String provisioningStatus,
      String operatingStatus) {
    @Nullable String project = notes.externalIds().get("project_id");
    shown.put("admin_state_up", isUp);
    shown.put("provisioning_status", provisioningStatus);
    shown.put("operating_status", operatingStatus);
    shown.put("project_id", project);
    shown.put("tenant_id", project);
    shown.put("tags", join(notes.tags(), vendorTags));
    // the catalog has no times
    shown.put("created_at", null);
    shown.put("updated_at", null);
  }

  private static List<String> join(List<String> tags, List<String> vendorTags) {
    return Stream.concat(tags.stream(), vendorTags.stream()).toList();
  }

  /** Adds attributes of Octavia that have no counterpart, in the form that clients expect. */
  static void addAbsent(Map<String, @Nullable Object> shown, String... names) {
    for (String name : names) {
      shown.put(name, null);
    }
  }
}
