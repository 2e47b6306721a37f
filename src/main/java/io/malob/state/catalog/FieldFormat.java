package io.malob.state.catalog;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.AddressText;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.HostAddresses;
import io.malob.json.RejectedException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;

/**
 * The possible values of a field: how they are read and shown. Immutable.
 *
 * @param parser reads a trimmed string that is not empty
 * @param shown the value as JSON
 * @param schema what the OpenAPI document says of the values
 * @param hasParts whether a value may be given as an array or object, of strings without commas
 */
record FieldFormat<V>(
    Parser<V> parser, Function<? super V, ?> shown, Schema schema, boolean hasParts) {
  /** The longest id. */
  static final int MAX_ID_LENGTH = 64;

  /** The longest name. */
  static final int MAX_NAME_LENGTH = 128;

  /** The highest limit of connections. */
  static final int MAX_CONNECTIONS = 10_000_000;

  private static final int UNTAGGED = 0;

  /** Safe in a URL without encoding; cannot be a relative path. */
  private static final Pattern ID_PATTERN = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}");

  private static final Pattern WHOLE_NUMBER = Pattern.compile("-?[0-9]{1,9}");

  static final FieldFormat<String> ID = of("Id", FieldFormat::id, id -> id);
  static final FieldFormat<String> NAME = text(FieldFormat::name, MAX_NAME_LENGTH);
  static final FieldFormat<IPAddress<?>> ADDRESS =
      of("Address", FieldFormat::address, Object::toString);
  static final FieldFormat<Algorithm> ALGORITHM =
      of("Algorithm", FieldFormat::algorithm, Algorithm::name).givenAs("AlgorithmName");
  static final FieldFormat<Protocol> PROTOCOL =
      of("Protocol", FieldFormat::protocol, Protocol::text);

  /** Up to the bounds that all protocols have in common; {@link #portProblem} has the others. */
  static final FieldFormat<Integer> PORT =
      whole(0, 65_535, "from 1 to 65535 (for icmp, from 0 to 255)").shownAs("Port");

  static final FieldFormat<Integer> TCP_PORT = whole(1, 65_535).shownAs("Port");
  static final FieldFormat<Integer> VLAN =
      whole(1, 4_094).describedAs("the VLAN; null: its frames are untagged");
  static final FieldFormat<Integer> CONNECTIONS =
      whole(1, MAX_CONNECTIONS).describedAs("max number of open connections; null: unlimited");
  static final FieldFormat<Integer> AUTO_PER_SECOND =
      whole(0, MAX_CONNECTIONS)
          .describedAs(
              "new connections per second from which switches place them by shares; 0: always;"
                  + " null: the setting autoPerSecond");
  static final FieldFormat<AdminState> ADMIN_STATE =
      choice(List.of(AdminState.values())).shownAs("AdminState");

  /** The state of an item that cannot drain. */
  static final FieldFormat<AdminState> UP_OR_DOWN =
      choice(List.of(AdminState.UP, AdminState.DOWN)).shownAs("UpOrDown");

  static final FieldFormat<Boolean> FLAG = of("boolean", FieldFormat::flag, value -> value);

  /** Reads the value of a field from a trimmed string that is not empty. */
  @FunctionalInterface
  interface Parser<V> {
    /** The value. */
    V parse(String field, String text) throws RejectedException;
  }

  /**
   * The values in the OpenAPI document, whose schemas of items are made from this.
   *
   * @param shown their JSON type, or the schema of this name
   * @param given the same in requests
   * @param range the smallest and the largest number; empty if there are no numbers
   * @param choices the values as strings; empty if they are more than a few
   * @param maxLength the longest string; 0 if it has a form of its own
   * @param description their meaning; empty if the field's name says it
   */
  record Schema(
      String shown,
      String given,
      ImmutableList<Integer> range,
      ImmutableList<String> choices,
      int maxLength,
      String description) {

    static Schema of(String name) {
      return new Schema(name, name, ImmutableList.of(), ImmutableList.of(), 0, "");
    }
  }

  static <V> FieldFormat<V> of(String schema, Parser<V> parser, Function<? super V, ?> shown) {
    return new FieldFormat<>(parser, shown, Schema.of(schema), false);
  }

  /** Values that are shown as their text. */
  static <V> FieldFormat<V> text(Parser<V> parser, int maxLength) {
    Schema schema =
        new Schema("string", "string", ImmutableList.of(), ImmutableList.of(), maxLength, "");
    return new FieldFormat<>(parser, Object::toString, schema, false);
  }

  /** Values that may be given in parts. */
  static <V> FieldFormat<V> ofParts(String schema, Parser<V> parser, Function<? super V, ?> shown) {
    return new FieldFormat<>(parser, shown, Schema.of(schema), true);
  }

  static FieldFormat<Integer> whole(int min, int max) {
    return whole(min, max, "from " + min + " to " + max);
  }

  private static FieldFormat<Integer> whole(int min, int max, String range) {
    return new FieldFormat<>(
        (field, text) -> number(field, text, min, max, range),
        value -> value,
        new Schema("integer", "integer", ImmutableList.of(min, max), ImmutableList.of(), 0, ""),
        false);
  }

  /** A few values, shown in lower case. */
  static <E extends Enum<E>> FieldFormat<E> choice(List<E> values) {
    ImmutableList<String> names = names(values, value -> value.name().toLowerCase(Locale.ROOT));
    String most = String.join(", ", names.subList(0, names.size() - 1));
    return chosen(values, names, most + " or " + names.get(names.size() - 1));
  }

  /** One of the values of an enum, shown as its string. */
  static <E extends Enum<E>> FieldFormat<E> oneOf(Class<E> type) {
    List<E> values = List.of(type.getEnumConstants());
    ImmutableList<String> names = names(values, Object::toString);
    return chosen(values, names, "one of " + String.join(", ", names));
  }

  private static <E> ImmutableList<String> names(Collection<E> values, Function<E, String> name) {
    return values.stream().map(name).collect(ImmutableList.toImmutableList());
  }

  private static <E extends Enum<E>> FieldFormat<E> chosen(
      List<E> values, ImmutableList<String> names, String expected) {
    Parser<E> parser =
        (field, text) -> {
          for (int i = 0; i < names.size(); i++) {
            if (names.get(i).equalsIgnoreCase(text)) {
              return values.get(i);
            }
          }
          throw wrong(field, expected, text);
        };
    return new FieldFormat<>(
        parser,
        value -> names.get(values.indexOf(value)),
        new Schema("string", "string", ImmutableList.of(), names, 0, ""),
        false);
  }

  private FieldFormat<V> with(String asShown, String asGiven, String description) {
    Schema named =
        new Schema(asShown, asGiven, schema.range, schema.choices, schema.maxLength, description);
    return new FieldFormat<>(parser, shown, named, hasParts);
  }

  /** The same format, with the schema of this name in answers. */
  FieldFormat<V> shownAs(String name) {
    return with(name, schema.given, schema.description);
  }

  /** The same format, with the schema of this name in requests. */
  FieldFormat<V> givenAs(String name) {
    return with(schema.shown, name, schema.description);
  }

  /** The same format, with the meaning of its values. */
  FieldFormat<V> describedAs(String meaning) {
    return with(schema.shown, schema.given, meaning);
  }

  /** The same format, which reads some strings in its own way. */
  FieldFormat<V> reading(Function<String, String> synonym) {
    return new FieldFormat<>(
        (field, text) -> parser.parse(field, synonym.apply(text)), shown, schema, hasParts);
  }

  /** The value of a string, which must not be blank. */
  V parse(String field, String text) throws RejectedException {
    String trimmed = text.strip();
    if (trimmed.isEmpty()) {
      throw RejectedException.invalid(field, field + " is empty; leave it out or set it to null");
    }
    return parser.parse(field, trimmed);
  }

  private static RejectedException wrong(String field, String expected, String text) {
    return RejectedException.invalid(
        field, field + " must be " + expected + ", not " + quoted(text));
  }

  static String id(String field, String text) throws RejectedException {
    if (!ID_PATTERN.matcher(text).matches()) {
      String letters = " letters, digits or any of _ . : - (and begin with a letter, a digit or _)";
      throw wrong(field, "1 to " + MAX_ID_LENGTH + letters, text);
    }
    return text;
  }

  private static String name(String field, String text) throws RejectedException {
    if (text.length() > MAX_NAME_LENGTH) {
      throw RejectedException.invalid(
          field, field + " must have at most " + MAX_NAME_LENGTH + " characters");
    }
    return printable(field, text);
  }

  /** A text for people, which must not break lines of a log, nor control a terminal. */
  static String printable(String field, String text) throws RejectedException {
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw RejectedException.invalid(field, field + " must not contain control characters");
    }
    return text;
  }

  /** A name, or the number in an IP header as in Floodlight. */
  private static Protocol protocol(String field, String text) throws RejectedException {
    return Stream.of(Protocol.values())
        .filter(protocol -> text.equals(Integer.toString(protocol.ipNumber())))
        .findFirst()
        .or(() -> Protocol.named(text))
        .orElseThrow(() -> wrong(field, "tcp, udp or icmp", text));
  }

  /** The field of a VLAN, which is 0 for untagged frames. */
  static @Nullable Integer vlanOrNull(int vlan) {
    return vlan == UNTAGGED ? null : vlan;
  }

  /** The VLAN of a field. */
  static int vlan(@Nullable Integer given) {
    return given == null ? UNTAGGED : given;
  }

  private static IPAddress<?> address(String field, String text) throws RejectedException {
    String expected = "an IPv4 or IPv6 address such as 10.0.0.100 or 2001:db8::100";
    IPAddress<?> address = AddressText.parse(text).orElseThrow(() -> wrong(field, expected, text));
    if (!HostAddresses.isUnicast(address)) {
      boolean isIpv6 = address.getIpVersion() == IPVersion.IPv6;
      throw RejectedException.invalid(
          field,
          String.format(
              "%s must be the unicast address of a host%s, which %s is not",
              field, isIpv6 ? ", global or unique local" : "", address));
    }
    return address;
  }

  private static boolean flag(String field, String text) throws RejectedException {
    if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
      throw wrong(field, "true or false", text);
    }
    return Boolean.parseBoolean(text);
  }

  static int number(String field, String text, int min, int max, String range)
      throws RejectedException {
    int value = WHOLE_NUMBER.matcher(text).matches() ? Integer.parseInt(text) : -1;
    if (value < min || value > max) {
      throw wrong(field, "a whole number " + range, text);
    }
    return value;
  }

  private static Algorithm algorithm(String field, String text) throws RejectedException {
    return Algorithm.named(text)
        .orElseThrow(
            () ->
                RejectedException.invalid(
                    field,
                    String.format(
                        "%s: there is no algorithm %s; the algorithms are %s",
                        field, quoted(text), String.join(", ", Algorithm.names()))));
  }

  /** The error of a port of that protocol; null if there is none. */
  static @Nullable String portProblem(@Nullable Protocol protocol, @Nullable Integer port) {
    if (port == null) {
      return null;
    }
    if (protocol == Protocol.ICMP) {
      return port <= 255 ? null : "for icmp, port is the ICMP type, from 0 to 255, not " + port;
    }
    return port >= 1 ? null : "port must be a whole number from 1 to 65535, not " + port;
  }

  /** Checks the port of an item with that protocol. */
  static void checkPort(@Nullable Protocol protocol, @Nullable Integer port)
      throws RejectedException {
    String problem = portProblem(protocol, port);
    if (problem != null) {
      throw RejectedException.invalid("port", problem);
    }
  }

  static String quoted(String text) {
    String shown = text.length() <= 40 ? text : text.substring(0, 40) + "…";
    return "\"" + shown + "\"";
  }
}
