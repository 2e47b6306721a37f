package io.malob.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The results of a benchmark with max one target: values by name, in order. */
final class Values {
  private final Map<String, Object> values = new LinkedHashMap<>();

  /** Adds a number, or a list of numbers; the name has the unit in it. */
  void put(String name, Object value) {
    values.put(name, value);
  }

  /** Prints them. */
  void publish(OutputOptions output) throws IOException {
    if (output.json) {
      System.out.println(new ObjectMapper().writeValueAsString(values));
    } else {
      values.forEach((name, value) -> System.out.printf("%-22s%s%n", name, text(value)));
    }
  }

  private static String text(Object value) {
    if (value instanceof List<?> numbers) {
      return String.join(" ", numbers.stream().map(Values::text).toList());
    }
    return value instanceof Double number
        ? String.format(Locale.ROOT, "%.2f", number)
        : value.toString();
  }
}
