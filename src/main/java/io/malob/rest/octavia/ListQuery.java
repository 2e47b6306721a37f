package io.malob.rest.octavia;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.QueryParameters;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a request wants to see of a list: filters by attributes, an order, a page, and some fields,
 * as in OpenStack's guidelines for APIs. Immutable.
 */
final class ListQuery {
  private static final Splitter COMMAS = Splitter.on(',').trimResults().omitEmptyStrings();
  private static final ImmutableSet<String> TAG_FILTERS =
      ImmutableSet.of("tags", "tags-any", "not-tags", "not-tags-any");
  private static final ImmutableSet<String> REPEATED =
      ImmutableSet.<String>builder()
          .addAll(TAG_FILTERS)
          .add("fields", "sort_key", "sort_dir")
          .build();
  private static final ImmutableSet<String> NO_FILTERS =
      ImmutableSet.<String>builder()
          .addAll(REPEATED)
          .add("sort", "limit", "marker", "page_reverse")
          .build();

  /** Filters by the id of a referenced object, and where an object has it. */
  private static final ImmutableMap<String, String> REFERENCES =
      ImmutableMap.of(
          "loadbalancer_id", "loadbalancers",
          "load_balancer_id", "loadbalancers",
          "listener_id", "listeners",
          "pool_id", "pools");

  /** The greatest page; without a limit, a list is returned whole. */
  private static final int MAX_LIMIT = 1_000;

  private final Call call;
  private final QueryParameters parameters;

  ListQuery(Call call) {
    this.call = call;
    this.parameters = call.parameters();
  }

  /** The parameters that lists of objects with these attributes take. */
  static ImmutableSet<String> parameters(Collection<String> attributes) {
    return ImmutableSet.<String>builder()
        .addAll(attributes)
        .addAll(NO_FILTERS)
        .addAll(REFERENCES.keySet())
        .build();
  }

  /** Those of them that may be given several times. */
  static ImmutableSet<String> repeated() {
    return REPEATED;
  }

  /** The body of the answer: the wanted part of a list, and links to its neighbours. */
  Map<String, Object> answer(String plural, List<Map<String, @Nullable Object>> all)
      throws RejectedException {
    List<Map<String, @Nullable Object>> wanted =
        new ArrayList<>(all.stream().filter(filter()).toList());
    Optional<Comparator<Map<String, @Nullable Object>>> order = order();
    order.ifPresent(wanted::sort);
    boolean isReversed = flag("page_reverse");
    if (isReversed) {
      Collections.reverse(wanted);
    }
    List<Map<String, @Nullable Object>> rest = wanted.subList(afterMarker(wanted), wanted.size());
    int limit = limit();
    List<Map<String, @Nullable Object>> page =
        new ArrayList<>(rest.subList(0, Math.min(limit, rest.size())));
    Map<String, Object> answer = new LinkedHashMap<>();
    if (rest.size() > page.size()) {
      answer.put(plural + "_links", List.of(nextLink(page.get(page.size() - 1))));
    }
    if (isReversed) {
      Collections.reverse(page);
    }
    answer.put(plural, page.stream().map(this::chosen).toList());
    return answer;
  }

  /** The wanted fields of one object. */
  Map<String, @Nullable Object> chosen(Map<String, @Nullable Object> shown) {
    Set<String> fields = new HashSet<>();
    parameters.texts("fields").forEach(text -> COMMAS.split(text).forEach(fields::add));
    if (fields.isEmpty()) {
      return shown;
    }
    Map<String, @Nullable Object> chosen = new LinkedHashMap<>(shown);
    chosen.keySet().retainAll(fields);
    return chosen;
  }

  private Predicate<Map<String, @Nullable Object>> filter() {
    Predicate<Map<String, @Nullable Object>> filter = any -> true;
    for (String name : parameters.names()) {
      String value = String.join(",", parameters.texts(name));
      @Nullable String reference = REFERENCES.get(name);
      if (TAG_FILTERS.contains(name)) {
        filter = filter.and(tagFilter(name, COMMAS.splitToList(value)));
      } else if (reference != null) {
        filter = filter.and(shown -> refers(shown.get(reference), value));
      } else if (!NO_FILTERS.contains(name)) {
        filter = filter.and(shown -> value.equalsIgnoreCase(String.valueOf(shown.get(name))));
      }
    }
    return filter;
  }

  /** Objects without such references are not filtered by them: members, by their pool. */
  private static boolean refers(@Nullable Object references, String id) {
    return !(references instanceof List<?> list) || list.contains(Map.of("id", id));
  }

  private static Predicate<Map<String, @Nullable Object>> tagFilter(
      String name, List<String> tags) {
    Predicate<Map<String, @Nullable Object>> filter =
        shown ->
            shown.get("tags") instanceof List<?> own
                && (name.endsWith("-any")
                    ? tags.stream().anyMatch(own::contains)
                    : own.containsAll(tags));
    return name.startsWith("not-") ? filter.negate() : filter;
  }

  /** From {@code sort=name:desc,id}, or {@code sort_key} and {@code sort_dir}. */
  private Optional<Comparator<Map<String, @Nullable Object>>> order() throws RejectedException {
    List<String> keys = new ArrayList<>();
    parameters.texts("sort").forEach(text -> COMMAS.split(text).forEach(keys::add));
    List<String> directions = parameters.texts("sort_dir");
    for (String key : parameters.texts("sort_key")) {
      int index = keys.size();
      keys.add(index < directions.size() ? key + ":" + directions.get(index) : key);
    }
    @Nullable Comparator<Map<String, @Nullable Object>> order = null;
    for (String key : keys) {
      int colon = key.indexOf(':');
      String direction = colon < 0 ? "asc" : key.substring(colon + 1);
      if (!direction.equals("asc") && !direction.equals("desc")) {
        throw RejectedException.invalid("sort", "a direction is asc or desc, not " + direction);
      }
      Comparator<Map<String, @Nullable Object>> next =
          by(colon < 0 ? key : key.substring(0, colon));
      next = direction.equals("desc") ? next.reversed() : next;
      order = order == null ? next : order.thenComparing(next);
    }
    return Optional.ofNullable(order);
  }

  /** Numbers by value, everything else as text, nothing first. */
  private static Comparator<Map<String, @Nullable Object>> by(String attribute) {
    return (one, other) -> {
      @Nullable Object left = one.get(attribute);
      @Nullable Object right = other.get(attribute);
      if (left instanceof Number first && right instanceof Number second) {
        return Double.compare(first.doubleValue(), second.doubleValue());
      } else if (left == null || right == null) {
        return Boolean.compare(left != null, right != null);
      }
      return left.toString().compareTo(right.toString());
    };
  }

  private int afterMarker(List<Map<String, @Nullable Object>> list) throws RejectedException {
    Optional<String> marker = parameters.text("marker");
    if (marker.isEmpty()) {
      return 0;
    }
    for (int i = 0; i < list.size(); i++) {
      if (marker.get().equals(list.get(i).get("id"))) {
        return i + 1;
      }
    }
    throw RejectedException.invalid("marker", "marker must be the id of an item of the list");
  }

  private int limit() throws RejectedException {
    Optional<String> text = parameters.text("limit");
    if (text.isEmpty()) {
      return Integer.MAX_VALUE;
    }
    try {
      int limit = Integer.parseInt(text.get());
      if (limit >= 0) {
        return limit == 0 ? Integer.MAX_VALUE : Math.min(limit, MAX_LIMIT);
      }
    } catch (NumberFormatException e) {
      // as for a negative one
    }
    throw RejectedException.invalid("limit", "limit must be a whole number, 0 for no limit");
  }

  private boolean flag(String name) {
    return parameters.text(name).map("true"::equalsIgnoreCase).orElse(false);
  }

  /** The same request with another marker. */
  private Map<String, String> nextLink(Map<String, @Nullable Object> last) {
    StringJoiner query = new StringJoiner("&");
    for (String name : parameters.names()) {
      if (!name.equals("marker")) {
        parameters.texts(name).forEach(value -> query.add(name + "=" + encoded(value)));
      }
    }
    query.add("marker=" + encoded(String.valueOf(last.get("id"))));
    return Map.of("rel", "next", "href", call.site() + call.uri() + "?" + query);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
