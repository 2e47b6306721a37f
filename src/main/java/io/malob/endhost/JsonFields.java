package io.malob.endhost;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The fields of a JSON object, each read as what it should be. A wrong one is an error with its
 * name.
 *
 * @param path where the object is in the document, with a dot at its end; empty for the document
 */
record JsonFields(JsonNode node, String path) {

  /** The fields of an object that has no others than these. */
  static JsonFields of(JsonNode node, String path, Set<String> known) throws EndhostException {
    if (!node.isObject()) {
      String what = path.isEmpty() ? "the body" : path.substring(0, path.length() - 1);
      String sentence = what + " must be a JSON object";
      throw path.isEmpty()
          ? EndhostException.malformed(sentence)
          : EndhostException.invalid(what, sentence);
    }
    for (Iterator<String> names = node.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!known.contains(name)) {
        throw EndhostException.invalid(
            path + name,
            String.format(
                "there is no field \"%s\" here, only %s",
                path + name, String.join(", ", known.stream().sorted().toList())));
      }
    }
    return new JsonFields(node, path);
  }

  private Optional<JsonNode> find(String name) {
    JsonNode value = node.path(name);
    return value.isMissingNode() || value.isNull() ? Optional.empty() : Optional.of(value);
  }

  Optional<String> text(String name) throws EndhostException {
    Optional<JsonNode> value = find(name);
    if (value.isPresent() && !value.get().isTextual()) {
      throw wrong(name, "a text", value.get());
    }
    return value.map(JsonNode::textValue).map(String::strip).filter(text -> !text.isEmpty());
  }

  String required(String name) throws EndhostException {
    return text(name).orElseThrow(() -> missing(name));
  }

  <T> T required(String name, String what, Function<String, T> parse) throws EndhostException {
    return parsed(name, what, parse).orElseThrow(() -> missing(name));
  }

  private EndhostException missing(String name) {
    return EndhostException.invalid(path + name, path + name + " is required");
  }

  <T> Optional<T> parsed(String name, String what, Function<String, T> parse)
      throws EndhostException {
    Optional<String> text = text(name);
    try {
      return text.map(parse);
    } catch (IllegalArgumentException e) {
      throw wrong(name, what, node.path(name));
    }
  }

  Optional<Double> number(String name, double min, double max) throws EndhostException {
    Optional<JsonNode> value = find(name);
    if (value.isEmpty()) {
      return Optional.empty();
    }
    double number = value.get().doubleValue();
    if (!value.get().isNumber() || !(number >= min && number <= max)) {
      throw wrong(name, String.format("a number from %.0f to %.0f", min, max), value.get());
    }
    return Optional.of(number);
  }

  JsonNode object(String name) throws EndhostException {
    return find(name).orElseThrow(() -> missing(name));
  }

  JsonNode list(String name, int most) throws EndhostException {
    JsonNode value = object(name);
    if (!value.isArray() || value.size() > most) {
      throw wrong(name, "a list of at most " + most, value);
    }
    return value;
  }

  private EndhostException wrong(String name, String what, JsonNode value) {
    String text = value.toString();
    String shown = text.length() > 60 ? text.substring(0, 60) + "…" : text;
    return EndhostException.invalid(
        path + name, String.format("%s must be %s, not %s", path + name, what, shown));
  }
}
