package io.malob.rest.octavia;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.QueryParameters;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
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
 * as in OpenStack's guidelines for APIs. Pages are sorted by the id at last, so none is lost or
 * shown twice if others are added or deleted meanwhile. Immutable.
 */
final class ListQuery {
  private static final Splitter COMMAS = Splitter.on(',').trimResults().omitEmptyStrings();
  private static final ImmutableSet<String> TAG_FILTERS =
      ImmutableSet.of("tags", "tags-any", "not-tags", "not-tags-any");
  private static final ImmutableSet<String> REPEATED =
      ImmutableSet.<String>builder()
          .addAll(TAG_FILTERS)
          .add("fields", ListOrder.SORT_KEY, ListOrder.SORT_DIR)
          .build();
  private static final ImmutableSet<String> NO_FILTERS =
      ImmutableSet.<String>builder()
          .addAll(REPEATED)
          .add(ListOrder.SORT, "limit", "marker", "page_reverse")
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
  private final ImmutableSet<String> attributes;

  /**
   * The wishes of a request.
   *
   * @param attributes the attributes by which its list can be filtered and sorted
   */
  ListQuery(Call call, ImmutableSet<String> attributes) {
    this.call = call;
    this.parameters = call.parameters();
    this.attributes = attributes;
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
    Optional<Comparator<Map<String, @Nullable Object>>> sorted =
        ListOrder.of(parameters, attributes);
    int limit = limit();
    boolean isReversed = flag("page_reverse");
    Optional<String> marker = parameters.text("marker");
    List<Map<String, @Nullable Object>> rest = wanted;
    if (marker.isPresent() || limit != Integer.MAX_VALUE) {
      Comparator<Map<String, @Nullable Object>> byId = ListOrder.by("id");
      Comparator<Map<String, @Nullable Object>> order =
          sorted.map(keys -> keys.thenComparing(byId)).orElse(byId);
      order = isReversed ? order.reversed() : order;
      wanted.sort(order);
      if (marker.isPresent()) {
        rest = after(place(marker.get(), all, sorted.isPresent()), wanted, order);
      }
    } else {
      sorted.ifPresent(wanted::sort);
      isReversed = false;
    }
    List<Map<String, @Nullable Object>> page =
        new ArrayList<>(rest.subList(0, Math.min(limit, rest.size())));
    Map<String, Object> answer = new LinkedHashMap<>();
    if (rest.size() > page.size()) {
      answer.put(plural + "_links", List.of(nextLink(page.get(page.size() - 1))));
    }
    if (isReversed) {
      Collections.reverse(page);
    }
    Set<String> fields = fields(call);
    answer.put(plural, page.stream().map(shown -> chosen(fields, shown)).toList());
    return answer;
  }

  /** The fields of one object that a request wants. */
  static Map<String, @Nullable Object> chosen(Call call, Map<String, @Nullable Object> shown) {
    return chosen(fields(call), shown);
  }

  private static Map<String, @Nullable Object> chosen(
      Set<String> fields, Map<String, @Nullable Object> shown) {
    if (fields.isEmpty()) {
      return shown;
    }
    Map<String, @Nullable Object> chosen = new LinkedHashMap<>(shown);
    chosen.keySet().retainAll(fields);
    return chosen;
  }

  /** The wanted fields; empty for all. */
  private static Set<String> fields(Call call) {
    Set<String> fields = new HashSet<>();
    call.parameters().texts("fields").forEach(text -> COMMAS.split(text).forEach(fields::add));
    return fields;
  }

  private Predicate<Map<String, @Nullable Object>> filter() {
    Predicate<Map<String, @Nullable Object>> filter = any -> true;
    for (String name : parameters.names()) {
      String value = String.join(",", parameters.texts(name));
      @Nullable String reference = REFERENCES.get(name);
      if (TAG_FILTERS.contains(name)) {
        filter = filter.and(tagFilter(name, ImmutableSet.copyOf(COMMAS.split(value))));
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
      String name, ImmutableSet<String> tags) {
    Predicate<Map<String, @Nullable Object>> filter =
        shown ->
            shown.get("tags") instanceof List<?> own
                && (name.endsWith("-any")
                    ? own.stream().anyMatch(tags::contains)
                    : own.containsAll(tags));
    return name.startsWith("not-") ? filter.negate() : filter;
  }

  /** The place of a marker, whose object may have been deleted. */
  private static Map<String, @Nullable Object> place(
      String marker, List<Map<String, @Nullable Object>> all, boolean isSorted)
      throws RejectedException {
    Optional<Map<String, @Nullable Object>> there =
        all.stream().filter(shown -> marker.equals(shown.get("id"))).findFirst();
    if (there.isEmpty() && isSorted) {
      throw RejectedException.invalid(
          "marker",
          "the object of the marker is gone, and with it its place in the order of sort; begin"
              + " again, or leave out sort");
    }
    Map<String, @Nullable Object> gone = new HashMap<>();
    gone.put("id", marker);
    return there.orElse(gone);
  }

  private static List<Map<String, @Nullable Object>> after(
      Map<String, @Nullable Object> place,
      List<Map<String, @Nullable Object>> list,
      Comparator<Map<String, @Nullable Object>> order) {
    int first = 0;
    while (first < list.size() && order.compare(list.get(first), place) <= 0) {
      first++;
    }
    return list.subList(first, list.size());
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
  private Map<String, @Nullable Object> nextLink(Map<String, @Nullable Object> last) {
    StringJoiner query = new StringJoiner("&");
    for (String name : parameters.names()) {
      if (!name.equals("marker")) {
        parameters.texts(name).forEach(value -> query.add(name + "=" + encoded(value)));
      }
    }
    query.add("marker=" + encoded(String.valueOf(last.get("id"))));
    return Json.fields("rel", "next", "href", call.site() + call.uri() + "?" + query);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
