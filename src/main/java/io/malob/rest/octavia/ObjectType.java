package io.malob.rest.octavia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.rest.octavia.Attributes.When;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.CatalogDraft;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.CatalogSnapshot;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One of Octavia's types of objects: its form, and the edits that requests ask for. No state. */
abstract class ObjectType<T extends CatalogItem> {
  private final String noun;
  private final CatalogKind<T> kind;
  private final Attributes<T> attributes;

  /** The beginnings of tags for MALOB. */
  private final ImmutableList<String> vendorTags;

  /**
   * A type.
   *
   * @param noun the wrapper of one object, as in {@code listener}
   */
  ObjectType(String noun, CatalogKind<T> kind, Attributes<T> attributes, String... vendorTags) {
    this.noun = noun;
    this.kind = kind;
    this.attributes = attributes;
    this.vendorTags = ImmutableList.copyOf(vendorTags);
  }

  final String noun() {
    return noun;
  }

  /** The name of a list of them. */
  final String plural() {
    return noun + "s";
  }

  /** The attributes by which lists are filtered and sorted. */
  final ImmutableSet<String> filters() {
    return attributes.filters();
  }

  /** All objects, oldest first. */
  Collection<T> all(CatalogSnapshot catalog) {
    return kind.in(catalog).values();
  }

  /** The object with that id; empty if there is none. */
  Optional<T> find(CatalogSnapshot catalog, String id) {
    return kind.find(catalog, id);
  }

  /** Adds an object. Returns its id. */
  abstract String create(CatalogDraft draft, Body body) throws RejectedException;

  /** Changes the given attributes. */
  abstract void update(CatalogDraft draft, T item, Body body) throws RejectedException;

  /** Deletes an object. cascade: also what it contains. */
  void delete(CatalogDraft draft, T item, boolean cascade) throws RejectedException {
    draft.delete(kind, item.id());
  }

  /** The tags for MALOB of an object. */
  List<String> vendorTags(T item) {
    return List.of();
  }

  /** Checks the attributes of a new object. */
  final void checkNew(Body body) throws RejectedException {
    body.check(attributes.all(), attributes.refused());
  }

  /** Checks the attributes of a change. */
  final void checkChange(Body body) throws RejectedException {
    for (String name : attributes.names(When.NEW)) {
      if (body.has(name)) {
        throw RejectedException.invalid(name, name + " cannot be changed");
      }
    }
    body.check(attributes.names(When.ANY), attributes.refused());
  }

  /** The given attributes that the catalog has as fields, the name, the state and the tags. */
  final Changes changes(Body body) throws RejectedException {
    VendorTags.check(body.texts("tags"), vendorTags);
    Changes changes = new Changes(body).copy("description", "description");
    for (Map.Entry<String, String> each : attributes.copied().entrySet()) {
      changes.copy(each.getKey(), each.getValue());
    }
    return changes.name().adminState().tags();
  }

  /** The same of a new object, with those that are kept without effect. */
  final Changes changesOfNew(Body body, Map<String, String> kept) throws RejectedException {
    return changes(body).ofNew(kept, attributes.kept());
  }

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
    return Attributes.NAMES.getOrDefault(field, field);
  }

  /** Whether objects have a description, as in Octavia. */
  boolean hasDescription() {
    return true;
  }

  /** The attributes of an object. */
  final Map<String, @Nullable Object> shown(T item, View view) {
    Map<String, @Nullable Object> shown = Json.fields("id", item.id(), "name", item.name());
    if (hasDescription()) {
      shown.put("description", item.notes().description());
    }
    attributes.addTo(shown, item, view);
    @Nullable String project = item.notes().externalIds().get("project_id");
    shown.put("admin_state_up", item.adminState() != AdminState.DOWN);
    shown.put("provisioning_status", view.provisioningStatus());
    shown.put("operating_status", view.statuses().of(item));
    shown.put("project_id", project);
    shown.put("tenant_id", project);
    shown.put(
        "tags", Stream.concat(item.notes().tags().stream(), vendorTags(item).stream()).toList());
    // the catalog has no times
    shown.put("created_at", null);
    shown.put("updated_at", null);
    return shown;
  }
}
