package io.malob.rest;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is behind the question mark of a URL. Immutable; texts are trimmed, and each parameter has
 * one value.
 */
final class QueryParameters {
  private final Map<String, String> values;

  private QueryParameters(Map<String, String> values) {
    this.values = Collections.unmodifiableMap(values);
  }

  /**
   * The parameters of a URL.
   *
   * @param query what is behind the question mark, as it was sent; empty if there is none
   * @param known the names that parameters have here
   * @throws RefusedException if one has another name, is there twice, is empty, or is not well
   *     encoded
   */
  static QueryParameters read(String query, Set<String> known) throws RefusedException {
    Map<String, String> values = new LinkedHashMap<>();
    for (String part : query.isEmpty() ? new String[0] : query.split("&", -1)) {
      int sign = part.indexOf('=');
      String name = decoded(sign < 0 ? part : part.substring(0, sign));
      String value = sign < 0 ? "" : decoded(part.substring(sign + 1)).strip();
      if (!known.contains(name)) {
        throw new RefusedException(
            400,
            known.isEmpty()
                ? "there are no parameters here"
                : "there is no parameter \"" + name + "\" here, only " + String.join(", ", known),
            name);
      }
      if (value.isEmpty()) {
        throw new RefusedException(400, name + " is empty; leave it out", name);
      }
      if (values.put(name, value) != null) {
        throw new RefusedException(400, name + " is given twice", name);
      }
    }
    return new QueryParameters(values);
  }

  private static String decoded(String text) throws RefusedException {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new RefusedException(400, "the URL is not well encoded", null);
    }
  }

  /** Checks that a URL has no parameters. */
  static void none(String query) throws RefusedException {
    read(query, Set.of());
  }

  /** The value of a parameter; empty if it is not given. */
  Optional<String> text(String name) {
    return Optional.ofNullable(values.get(name));
  }

  /** The value of a parameter that must be given. */
  String required(String name) throws RefusedException {
    return text(name)
        .orElseThrow(
            () -> new RefusedException(400, "the parameter " + name + " is required", name));
  }
}
