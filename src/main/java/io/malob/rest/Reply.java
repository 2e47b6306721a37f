package io.malob.rest;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An answer to a request.
 *
 * @param status the HTTP status
 * @param body maps, lists, texts, numbers and truth values, to be sent as JSON; or a picture
 * @param allowed the methods that are possible, if the one asked for is not
 * @param tag the tag of what is shown, if it has one
 * @param next the query of the next page, if there is one
 */
record Reply(
    int status, Object body, Set<String> allowed, Optional<String> tag, Optional<String> next) {

  Reply(int status, Object body, Set<String> allowed) {
    this(status, body, allowed, Optional.empty(), Optional.empty());
  }

  /** This with the tag of what is shown, of {@link EntityTag}. */
  Reply withTag(String newTag) {
    return new Reply(status, body, allowed, Optional.of(newTag), next);
  }

  /** This with another body. */
  Reply map(UnaryOperator<Object> newBody) {
    return new Reply(status, newBody.apply(body), allowed, tag, next);
  }

  /** This with the query of the next page. */
  Reply withNext(String query) {
    return new Reply(status, body, allowed, tag, Optional.of(query));
  }

  /** The answer to what went well. */
  static Reply ok(Object body) {
    return new Reply(200, body, Set.of());
  }

  /** A picture. */
  static Reply svg(String document) {
    return new Reply(200, new Picture(document), Set.of());
  }

  /** What is not sent as JSON, but as it is. */
  record Picture(String svg) {}

  /** A text that is sent as it is. */
  record Text(String mediaType, String text) {}

  /** The answer to a change that will be in force in a moment, as what would have been answered. */
  static Reply pending(Object body) {
    Map<String, @Nullable Object> pending = new LinkedHashMap<>();
    if (body instanceof Map) {
      ((Map<?, ?>) body).forEach((name, value) -> pending.put(String.valueOf(name), value));
    }
    pending.put("in_force", false);
    return new Reply(202, pending, Set.of());
  }

  /** The answer to what went well, where there is nothing to say. */
  static Reply nothing() {
    return new Reply(204, "", Set.of());
  }

  /** The answer to what made something new. */
  static Reply created(Object body) {
    return new Reply(201, body, Set.of());
  }
}
