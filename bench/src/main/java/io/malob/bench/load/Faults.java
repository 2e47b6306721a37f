package io.malob.bench.load;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The faults, counted by kind, with the first example of each. */
final class Faults {

  /** The faults of a placement. */
  enum Kind {
    /** Not all of its messages came in time. */
    LOST,
    /** The client was sent a reset. */
    REFUSED,
    /** Its messages name no member, or not the same one. */
    WRONG_MEMBER,
    /** A rule matches or does something else than it must. */
    WRONG_RULE,
    /** The first packet is not what was sent, or not treated as it must be. */
    WRONG_PACKET,
    /** Its two rules are not of the same connection and generation. */
    WRONG_COOKIE,
    /** A label that does not lead to the other edge. */
    WRONG_LABEL,
    /** An edge has no rule for its host. */
    NO_HOST_RULE,
    /** A message for a connection that does not, or no longer, wait for it. */
    UNEXPECTED,
    /** Round robin did not give every member the same number, within one. */
    UNEVEN
  }

  private final EnumMap<Kind, Long> counts = new EnumMap<>(Kind.class);
  private final EnumMap<Kind, String> examples = new EnumMap<>(Kind.class);

  void add(Kind kind, Supplier<String> example) {
    if (counts.merge(kind, 1L, Long::sum) == 1) {
      examples.put(kind, example.get());
    }
  }

  /** By kind in lower case: how often. */
  Map<String, Long> counts() {
    Map<String, Long> all = new LinkedHashMap<>();
    counts.forEach((kind, count) -> all.put(name(kind), count));
    return all;
  }

  /** By kind in lower case: the first one. */
  Map<String, String> examples() {
    Map<String, String> all = new LinkedHashMap<>();
    examples.forEach((kind, example) -> all.put(name(kind), example));
    return all;
  }

  private static String name(Kind kind) {
    return kind.name().toLowerCase(java.util.Locale.ROOT);
  }

  void clear() {
    counts.clear();
    examples.clear();
  }
}
