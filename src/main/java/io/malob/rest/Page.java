package io.malob.rest;

import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The requested part of a list: {@code ?limit=} items, after the id {@code ?marker=}. Pages are in
 * the order of ids, so none is lost or shown twice if others are added or deleted meanwhile.
 */
record Page(Call call, Optional<String> marker, int limit) {
  /** The max length of a page; without a limit, a list is returned whole. */
  static final int MAX = 1_000;

  /** The names of the parameters. */
  static final Set<String> PARAMETERS = Set.of("limit", "marker");

  /** The page of a request. */
  static Page of(Call call) throws RejectedException {
    return new Page(
        call,
        call.parameter("marker"),
        ParameterFormat.number(call.parameters(), "limit", 1, MAX, Integer.MAX_VALUE));
  }

  /** The items of the page, with the query of the next page if there is one. */
  <T> Reply of(Collection<T> items, Function<T, String> id, Function<T, Object> shown) {
    List<T> rest = List.copyOf(items);
    if (marker.isPresent() || limit != Integer.MAX_VALUE) {
      String last = marker.orElse("");
      rest =
          items.stream()
              .filter(item -> id.apply(item).compareTo(last) > 0)
              .sorted(Comparator.comparing(id))
              .toList();
    }
    Reply reply = Reply.ok(rest.stream().limit(limit).map(shown).toList());
    return rest.size() <= limit
        ? reply
        : reply.withNext(
            call,
            "limit="
                + limit
                + "&marker="
                + URLEncoder.encode(id.apply(rest.get(limit - 1)), StandardCharsets.UTF_8));
  }
}
