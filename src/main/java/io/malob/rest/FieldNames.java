package io.malob.rest;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogKind;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognises alternative names of fields: {@code vip id} of the MALOB thesis and {@code vipId} of
 * Floodlight both mean {@code vip_id}.
 *
 * @param known the names that fields have here
 * @param others alternative names with their meanings
 * @param ignored fields of Floodlight's requests that have no effect there either
 * @param wrapper the field in which early versions of Floodlight send the item; null if there is
 *     none
 */
record FieldNames(
    Set<String> known, Map<String, String> others, Set<String> ignored, @Nullable String wrapper) {
  private static final ImmutableSet<String> IGNORED =
      ImmutableSet.of("tenant_id", "network_id", "status");

  /** What else is ignored of monitors: Floodlight checks members at their own address. */
  private static final ImmutableSet<String> IGNORED_OF_MONITORS =
      ImmutableSet.of("address", "protocol");

  private static final Pattern HUMP = Pattern.compile("(?<=[a-z])[A-Z]");

  /** The names of a kind's fields, and of its read-only lists. */
  static FieldNames of(CatalogKind<?> kind, String... more) {
    boolean isMonitor = kind == Catalog.MONITORS;
    Map<String, String> others =
        isMonitor
            ? Map.of("fall", "attempts_before_deactivation")
            : kind == Catalog.SERVICES ? Map.of("name", "service_name") : Map.of();
    return new FieldNames(
        ImmutableSet.<String>builder().addAll(kind.fieldNames()).add(more).build(),
        others,
        isMonitor ? Sets.union(IGNORED, IGNORED_OF_MONITORS) : IGNORED,
        isMonitor ? "monitor" : null);
  }

  /** The fields of an item in a request, by their names here. */
  Map<String, JsonInput<RejectedException>> of(JsonInput<RejectedException> body)
      throws RejectedException {
    Map<String, JsonInput<RejectedException>> fields = body.fields();
    boolean isWrapped = wrapper != null && fields.keySet().equals(Set.of(wrapper));
    JsonInput<RejectedException> item = isWrapped ? body.get(String.valueOf(wrapper)) : body;
    Map<String, JsonInput<RejectedException>> named = item.fields(this::here);
    named.keySet().removeAll(ignored);
    return named;
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
