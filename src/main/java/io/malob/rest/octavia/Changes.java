package io.malob.rest.octavia;

import com.google.common.base.Strings;
import io.malob.json.RejectedException;
import io.malob.state.catalog.Fields;
import io.malob.state.catalog.Notes;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects the catalog's fields for the attributes of a request. For one thread. */
final class Changes {
  private static final String NAME = "name";
  private static final String PROJECT = "project_id";

  private final Body body;
  private final Map<String, @Nullable String> fields = new LinkedHashMap<>();

  Changes(Body body) {
    this.body = body;
  }

  /** Takes an attribute as a field of the catalog, if it is given. */
  Changes copy(String name, String field) throws RejectedException {
    if (body.has(name)) {
      fields.put(field, body.text(name));
    }
    return this;
  }

  /** Takes the name, if it is given; null is the default, an empty one. */
  Changes name() throws RejectedException {
    if (body.has(NAME)) {
      fields.put(NAME, Strings.nullToEmpty(body.text(NAME)));
    }
    return this;
  }

  /** Takes {@code admin_state_up}, if it is given; null is the default. */
  Changes adminState() throws RejectedException {
    if (body.has("admin_state_up")) {
      fields.put("admin_state", body.flag("admin_state_up").orElse(true) ? "up" : "down");
    }
    return this;
  }

  /** Takes the tags, without those for MALOB, if they are given. */
  Changes tags() throws RejectedException {
    if (body.has("tags")) {
      List<String> tags = VendorTags.others(body.texts("tags"));
      for (String tag : tags) {
        checkWhole("tags", tag);
      }
      fields.put("tags", tags.isEmpty() ? null : Notes.tagsText(tags));
    }
    return this;
  }

  /**
   * Keeps attributes that have no effect, and gives the object an empty name if it has none. Only
   * for new objects: those of others stay.
   */
  Changes ofNew(Map<String, String> more, Collection<String> names) throws RejectedException {
    Map<String, String> ids = new LinkedHashMap<>(more);
    for (String name : names) {
      @Nullable String value = body.text(name);
      if (value == null && name.equals(PROJECT)) {
        value = body.text("tenant_id"); // its name in older clients
      }
      if (value != null) {
        ids.put(name, value);
      }
    }
    fields.putIfAbsent(NAME, "");
    return put("external_ids", externalIds(ids));
  }

  /** Changes one that has no effect, if it is given; null removes it. */
  Changes externalId(Notes before, String name) throws RejectedException {
    return body.has(name) ? externalId(before, name, body.text(name)) : this;
  }

  /** Changes one that has no effect; null removes it. */
  Changes externalId(Notes before, String name, @Nullable String value) throws RejectedException {
    Map<String, String> ids = new LinkedHashMap<>(before.externalIds());
    if (value == null) {
      ids.remove(name);
    } else {
      ids.put(name, value);
    }
    return put("external_ids", externalIds(ids));
  }

  /** Sets a field. */
  Changes put(String field, @Nullable String value) {
    fields.put(field, value);
    return this;
  }

  Fields fields() {
    return Fields.of(fields);
  }

  /** Several external ids as one value, whose parts are separated by commas. */
  private static @Nullable String externalIds(Map<String, String> ids) throws RejectedException {
    for (Map.Entry<String, String> id : ids.entrySet()) {
      checkWhole(id.getKey(), id.getValue());
    }
    return ids.isEmpty() ? null : Notes.externalIdsText(ids);
  }

  private static void checkWhole(String name, String value) throws RejectedException {
    if (value.indexOf(',') >= 0) {
      throw RejectedException.invalid(
          name, name + " must have no commas, unlike \"" + value + "\"");
    }
  }
}
