package io.malob.rest;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogKind;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Recognises alternative names of fields: {@code vip id} of the MALOB thesis and {@code vipId} of
 * Floodlight both mean {@code vip_id}.
 *
 * @param known the names that fields have here
 * @param others alternative names with their meanings
 */
record FieldNames(Set<String> known, Map<String, String> others) {
  private static final Pattern HUMP = Pattern.compile("(?<=[a-z])[A-Z]");

  /** The names of a kind's fields, and of its read-only lists. */
  static FieldNames of(CatalogKind<?> kind, String... more) {
    ImmutableMap.Builder<String, String> others = ImmutableMap.builder();
    if (kind == Catalog.MONITORS) {
      others.put("fall", "attempts_before_deactivation");
    }
    if (kind == Catalog.SERVICES) {
      others.put("name", "service_name");
    }
    return new FieldNames(
        ImmutableSet.<String>builder().addAll(kind.fieldNames()).add(more).build(), others.build());
  }

  /** The name here; the given one if there is no such field, so that an error shows it. */
  String here(String given) {
    String words = given.strip().replace(' ', '_');
    String apart =
        HUMP.matcher(words).replaceAll(hump -> "_" + hump.group().toLowerCase(Locale.ROOT));
    String name = others.getOrDefault(apart, apart);
    return known.contains(name) ? name : given;
  }
}
