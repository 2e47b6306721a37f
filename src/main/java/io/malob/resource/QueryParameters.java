package io.malob.resource;

import com.google.common.collect.ImmutableMap;
import io.malob.json.RejectedException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The query parameters of a URL. Immutable; values are trimmed, and each parameter has one. */
public final class QueryParameters {
  private final ImmutableMap<String, String> values;

  private QueryParameters(Map<String, String> values) {
    this.values = ImmutableMap.copyOf(values);
  }

  /**
   * The parameters of a URL.
   *
   * @param query the query, as sent; empty if there is none
   * @throws RejectedException if a parameter is repeated, empty, or wrongly encoded
   */
  static QueryParameters read(String query) throws RejectedException {
    Map<String, String> values = new LinkedHashMap<>();
    for (String part : query.isEmpty() ? new String[0] : query.split("&", -1)) {
      int sign = part.indexOf('=');
      String name = decoded(sign < 0 ? part : part.substring(0, sign));
      String value = sign < 0 ? "" : decoded(part.substring(sign + 1)).strip();
      if (values.put(name, value) != null) {
        throw RejectedException.invalid(name, name + " is given twice");
      }
    }
    return new QueryParameters(values);
  }

  static String decoded(String text) throws RejectedException {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw RejectedException.invalid(null, "the URL is not correctly encoded");
    }
  }

  /** Checks that there are no other parameters than these, and that none is empty. */
  void checkNames(Collection<String> known) throws RejectedException {
    for (Map.Entry<String, String> parameter : values.entrySet()) {
      String name = parameter.getKey();
      if (!known.contains(name)) {
        throw RejectedException.invalid(
            name,
            known.isEmpty()
                ? "this path takes no parameters"
                : "there is no parameter \"" + name + "\" here, only " + String.join(", ", known));
      }
      if (parameter.getValue().isEmpty()) {
        throw RejectedException.invalid(name, name + " is empty; leave it out");
      }
    }
  }

  /** The value of a parameter; empty if it is not given. */
  public Optional<String> text(String name) {
    return Optional.ofNullable(values.get(name));
  }

  /** The value of a parameter that must be given. */
  public String required(String name) throws RejectedException {
    return text(name)
        .orElseThrow(
            () -> RejectedException.invalid(name, "the parameter " + name + " is required"));
  }
}
