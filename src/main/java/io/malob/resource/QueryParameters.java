package io.malob.resource;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import io.malob.json.RejectedException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** The query parameters of a URL. Immutable; values are trimmed. */
public final class QueryParameters {
  private final ImmutableListMultimap<String, String> values;

  private QueryParameters(ImmutableListMultimap<String, String> values) {
    this.values = values;
  }

  /**
   * The parameters of a URL.
   *
   * @param query the query, as sent; empty if there is none
   * @throws RejectedException if a parameter is wrongly encoded
   */
  static QueryParameters read(String query) throws RejectedException {
    ImmutableListMultimap.Builder<String, String> values = ImmutableListMultimap.builder();
    for (String part : query.isEmpty() ? new String[0] : query.split("&", -1)) {
      int sign = part.indexOf('=');
      String name = decoded(sign < 0 ? part : part.substring(0, sign));
      String value = sign < 0 ? "" : decoded(part.substring(sign + 1)).strip();
      values.put(name, value);
    }
    return new QueryParameters(values.build());
  }

  static String decoded(String text) throws RejectedException {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw RejectedException.invalid(null, "the URL is not correctly encoded");
    }
  }

  /**
   * Checks that there are no other parameters than these, that none is empty, and that each is
   * given once, unless it is one of {@code repeated}.
   */
  void checkNames(Collection<String> known, Collection<String> repeated) throws RejectedException {
    for (Map.Entry<String, String> parameter : values.entries()) {
      String name = parameter.getKey();
      if (values.get(name).size() > 1 && !repeated.contains(name)) {
        throw RejectedException.invalid(name, name + " is given twice");
      }
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
    return values.get(name).stream().findFirst();
  }

  /** All values of a parameter, in their order; empty if it is not given. */
  public ImmutableList<String> texts(String name) {
    return values.get(name);
  }

  /** The names of the given parameters, in their order. */
  public ImmutableSet<String> names() {
    return values.keySet();
  }

  /** The value of a parameter that must be given. */
  public String required(String name) throws RejectedException {
    return text(name)
        .orElseThrow(
            () -> RejectedException.invalid(name, "the parameter " + name + " is required"));
  }
}
