package io.malob.mptcp;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The fields of a JSON object, each read as what it should be. A wrong one is an error with its
 * name.
 *
 * @param path where the object is in the document, with a dot at its end; empty for the document
 */
record Fields(JsonNode node, String path) {

  /** The fields of an object that has no others than these. */
  static Fields of(JsonNode node, String path, Set<String> known) throws MptcpException {
    if (!node.isObject()) {
      throw MptcpException.malformed(
          path.isEmpty() ? "the body must be a JSON object" : where(path) + " must be an object");
    }
    for (Iterator<String> names = node.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!known.contains(name)) {
        throw MptcpException.invalid(
            path + name,
            String.format(
                "there is no field \"%s\" here, only %s",
                path + name, String.join(", ", known.stream().sorted().toList())));
      }
    }
    return new Fields(node, path);
  }

  private static String where(String path) {
    return path.endsWith(".") ? path.substring(0, path.length() - 1) : path;
  }

  private Optional<JsonNode> find(String name) {
    JsonNode value = node.path(name);
    return value.isMissingNode() || value.isNull() ? Optional.empty() : Optional.of(value);
  }

  /** Texts, and numbers as they are written. */
  Optional<String> text(String name) throws MptcpException {
    Optional<JsonNode> value = find(name);
    if (value.isPresent() && !value.get().isTextual() && !value.get().isNumber()) {
      throw wrong(name, "a text", value.get());
    }
    return value.map(JsonNode::asText).map(String::strip).filter(text -> !text.isEmpty());
  }

  String required(String name) throws MptcpException {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      throw MptcpException.invalid(path + name, path + name + " is required");
    }
    return text.get();
  }

  /** One of these words. */
  <T extends Enum<T>> T word(String name, T defaultValue) throws MptcpException {
    Optional<String> text = text(name);
    List<String> words = new ArrayList<>();
    for (T value : defaultValue.getDeclaringClass().getEnumConstants()) {
      String word = value.name().toLowerCase(java.util.Locale.ROOT);
      if (text.isEmpty() ? value == defaultValue : word.equals(text.get())) {
        return value;
      }
      words.add(word);
    }
    throw MptcpException.invalid(
        path + name,
        String.format(
            "%s must be one of %s, not \"%s\"",
            path + name, String.join(", ", words), text.orElse("")));
  }

  Optional<Boolean> flag(String name) throws MptcpException {
    Optional<JsonNode> value = find(name);
    if (value.isPresent() && !value.get().isBoolean()) {
      String text = value.get().asText();
      if (!value.get().isTextual() || !(text.equals("true") || text.equals("false"))) {
        throw wrong(name, "true or false", value.get());
      }
      return Optional.of(text.equals("true"));
    }
    return value.map(JsonNode::booleanValue);
  }

  Optional<Long> number(String name, long min, long max) throws MptcpException {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      long number = Long.parseLong(text.get());
      if (number >= min && number <= max) {
        return Optional.of(number);
      }
    } catch (NumberFormatException e) {
      // told below, with the bounds
    }
    throw MptcpException.invalid(
        path + name,
        String.format(
            "%s must be a whole number from %d to %d, not \"%s\"",
            path + name, min, max, text.get()));
  }

  Optional<Double> positive(String name) throws MptcpException {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      double number = Double.parseDouble(text.get());
      if (number > 0 && number <= 1e9) {
        return Optional.of(number);
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw MptcpException.invalid(
        path + name,
        String.format(
            "%s must be a number above 0 and up to 1e9, not \"%s\"", path + name, text.get()));
  }

  Optional<DatapathId> switchId(String name) throws MptcpException {
    return parsed(name, "a datapath id like 00:00:00:00:00:00:00:01", DatapathId::of);
  }

  Optional<MacAddress> mac(String name) throws MptcpException {
    return parsed(name, "a MAC address like 02:00:0a:00:00:01", MacAddress::of);
  }

  private <T> Optional<T> parsed(
      String name, String what, java.util.function.Function<String, T> parse)
      throws MptcpException {
    Optional<String> text = text(name);
    try {
      return text.map(parse);
    } catch (IllegalArgumentException e) {
      throw MptcpException.invalid(
          path + name,
          String.format("%s must be %s, not \"%s\"", path + name, what, text.orElse("")));
    }
  }

  IPv4Address address(String name, String text) throws MptcpException {
    try {
      return IPv4Address.of(text);
    } catch (IllegalArgumentException e) {
      throw MptcpException.invalid(
          path + name, String.format("%s must be an IPv4 address, not \"%s\"", path + name, text));
    }
  }

  /** The elements of a list; empty if there is none of that name. */
  Optional<List<JsonNode>> list(String name, int most) throws MptcpException {
    Optional<JsonNode> value = find(name);
    if (value.isEmpty()) {
      return Optional.empty();
    }
    if (!value.get().isArray() || value.get().size() > most) {
      throw wrong(name, "a list of at most " + most, value.get());
    }
    List<JsonNode> elements = new ArrayList<>();
    value.get().forEach(elements::add);
    return Optional.of(elements);
  }

  private MptcpException wrong(String name, String what, JsonNode value) {
    String text = value.toString();
    String shown = text.length() > 60 ? text.substring(0, 60) + "…" : text;
    return MptcpException.invalid(
        path + name, String.format("%s must be %s, not %s", path + name, what, shown));
  }
}
