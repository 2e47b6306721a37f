package io.malob.rest;

import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The requested part of a list: {@code ?limit=} items, after the item with the id {@code ?marker=}.
 */
record Page(Optional<String> marker, int limit) {
  /** The max length of a page; without a limit, a list is returned whole. */
  static final int MAX = 1_000;

  /** The names of the parameters. */
  static final Set<String> PARAMETERS = Set.of("limit", "marker");

  /** The page of a request. */
  static Page of(Call call) throws RejectedException {
    Optional<String> limit = call.parameter("limit");
    return new Page(
        call.parameter("marker"),
        limit.isEmpty()
            ? Integer.MAX_VALUE
            : (int) ParameterFormat.number("limit", limit.get(), 1, MAX));
  }

  /**
   * The items of the page, in their order, with the query of the next page if there is one.
   *
   * @throws RejectedException if there is no item with the marker
   */
  <T> Reply of(Collection<T> items, Function<T, String> id, Function<T, Object> shown)
      throws RejectedException {
    List<T> rest = List.copyOf(items);
    if (marker.isPresent()) {
      List<String> ids = rest.stream().map(id).collect(Collectors.toList());
      int at = ids.indexOf(marker.get());
      if (at < 0) {
        throw ParameterFormat.refused("marker", "the id of an item of the list", marker.get());
      }
      rest = rest.subList(at + 1, rest.size());
    }
    Reply reply = Reply.ok(rest.stream().limit(limit).map(shown).collect(Collectors.toList()));
    return rest.size() <= limit
        ? reply
        : reply.withNext(
            "limit="
                + limit
                + "&marker="
                + URLEncoder.encode(id.apply(rest.get(limit - 1)), StandardCharsets.UTF_8));
  }
}
