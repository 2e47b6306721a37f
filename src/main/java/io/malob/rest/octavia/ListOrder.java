package io.malob.rest.octavia;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;
import io.malob.json.RejectedException;
import io.malob.resource.QueryParameters;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The order of a list: {@code sort=name:desc,id}, or {@code sort_key} and {@code sort_dir}. Each
 * attribute is given at most once, so their number has a limit. For one request.
 */
final class ListOrder {
  static final String SORT = "sort";
  static final String SORT_KEY = "sort_key";
  static final String SORT_DIR = "sort_dir";

  private static final Splitter COMMAS = Splitter.on(',').trimResults().omitEmptyStrings();
  private static final String ASCENDING = "asc";
  private static final String DESCENDING = "desc";

  private final ImmutableSet<String> attributes;

  /** The sort keys of a request with their directions. */
  private final Map<String, Boolean> isDescending = new LinkedHashMap<>();

  private ListOrder(ImmutableSet<String> attributes) {
    this.attributes = attributes;
  }

  /**
   * The order that a request wants; empty if any order will do.
   *
   * @param attributes the attributes by which the list can be sorted
   * @throws RejectedException if a key is another one or is given twice, or a direction is wrong
   */
  static Optional<Comparator<Map<String, @Nullable Object>>> of(
      QueryParameters parameters, ImmutableSet<String> attributes) throws RejectedException {
    ListOrder keys = new ListOrder(attributes);
    for (String text : parameters.texts(SORT)) {
      for (String key : COMMAS.split(text)) {
        int colon = key.indexOf(':');
        if (colon < 0) {
          keys.add(SORT, key, ASCENDING, SORT);
        } else {
          keys.add(SORT, key.substring(0, colon), key.substring(colon + 1), SORT);
        }
      }
    }
    List<String> directions = parameters.texts(SORT_DIR);
    List<String> names = parameters.texts(SORT_KEY);
    for (int i = 0; i < names.size(); i++) {
      String direction = i < directions.size() ? directions.get(i) : ASCENDING;
      keys.add(SORT_KEY, names.get(i), direction, SORT_DIR);
    }
    return keys.comparator();
  }

  private void add(String parameter, String key, String direction, String parameterOfDirection)
      throws RejectedException {
    if (!attributes.contains(key)) {
      throw RejectedException.invalid(
          parameter,
          String.format(
              "%s: there is no attribute \"%s\" to sort by, only %s",
              parameter, key, String.join(", ", attributes)));
    } else if (!direction.equals(ASCENDING) && !direction.equals(DESCENDING)) {
      throw RejectedException.invalid(
          parameterOfDirection, "a direction is asc or desc, not " + direction);
    } else if (isDescending.put(key, direction.equals(DESCENDING)) != null) {
      throw RejectedException.invalid(parameter, parameter + ": " + key + " is given twice");
    }
  }

  private Optional<Comparator<Map<String, @Nullable Object>>> comparator() {
    return isDescending.entrySet().stream()
        .map(key -> key.getValue() ? by(key.getKey()).reversed() : by(key.getKey()))
        .reduce(Comparator::thenComparing);
  }

  /** Missing values first, numbers by value, all others as text. */
  static Comparator<Map<String, @Nullable Object>> by(String attribute) {
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
}
