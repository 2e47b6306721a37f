package io.malob.state.catalog;

import static java.util.stream.Collectors.joining;

import io.malob.algorithm.AddressText;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.HostAddresses;
import io.malob.json.RejectedException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;

/** Reads the value of a field from its text. */
@FunctionalInterface
interface FieldFormat<T> {
  /** The longest id. */
  int MAX_ID_LENGTH = 64;

  /** The longest name. */
  int MAX_NAME_LENGTH = 128;

  /** The highest limit of connections. */
  int MAX_CONNECTIONS = 10_000_000;

  /** Safe in a URL without encoding; cannot be a relative path. */
  Pattern ID = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}");

  Pattern WHOLE_NUMBER = Pattern.compile("-?[0-9]{1,9}");

  /** The value of a trimmed, non-empty string. */
  T parse(String field, String text) throws RejectedException;

  static String id(String field, String text) throws RejectedException {
    if (!ID.matcher(text).matches()) {
      throw RejectedException.invalid(
          field,
          field
              + " must be 1 to "
              + MAX_ID_LENGTH
              + " letters, digits or any of _ . : - (and begin with a letter, a digit or _), not "
              + quoted(text));
    }
    return text;
  }

  static String name(String field, String text) throws RejectedException {
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
  static Protocol protocol(String field, String text) throws RejectedException {
    return Stream.of(Protocol.values())
        .filter(protocol -> text.equals(Integer.toString(protocol.ipNumber())))
        .findFirst()
        .or(() -> Protocol.named(text))
        .orElseThrow(
            () ->
                RejectedException.invalid(
                    field, field + " must be tcp, udp or icmp, not " + quoted(text)));
  }

  static IPAddress<?> address(String field, String text) throws RejectedException {
    IPAddress<?> address =
        AddressText.parse(text)
            .orElseThrow(
                () ->
                    RejectedException.invalid(
                        field,
                        field
                            + " must be an IPv4 or IPv6 address such as 10.0.0.100 or"
                            + " 2001:db8::100, not "
                            + quoted(text)));
    if (!HostAddresses.isUnicast(address)) {
      throw RejectedException.invalid(
          field,
          field
              + " must be the unicast address of a host"
              + (address.getIpVersion() == IPVersion.IPv6 ? ", global or unique local" : "")
              + ", which "
              + address
              + " is not");
    }
    return address;
  }

  /** Up to the bounds that all protocols have in common; {@link #portProblem} knows the others. */
  static Integer port(String field, String text) throws RejectedException {
    return number(field, text, 0, 65_535, "from 1 to 65535 (for icmp, from 0 to 255)");
  }

  static Integer weight(String field, String text) throws RejectedException {
    return number(field, text, 0, Member.MAX_WEIGHT, "from 0 to " + Member.MAX_WEIGHT);
  }

  /** The max number of connections. */
  static Integer connectionLimit(String field, String text) throws RejectedException {
    return number(field, text, 1, MAX_CONNECTIONS, "from 1 to " + MAX_CONNECTIONS);
  }

  /** The duration of slow start, in seconds. */
  static Integer slowStart(String field, String text) throws RejectedException {
    return number(field, text, 0, Monitor.MAX_SECONDS, "from 0 to " + Monitor.MAX_SECONDS);
  }

  /** The duration of session persistence, in seconds. */
  static Integer persistenceSeconds(String field, String text) throws RejectedException {
    int max = Persistence.MAX_SECONDS;
    return number(field, text, 1, max, "of seconds from 1 to " + max);
  }

  static Boolean truth(String field, String text) throws RejectedException {
    if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
      throw RejectedException.invalid(field, field + " must be true or false, not " + quoted(text));
    }
    return Boolean.valueOf(text);
  }

  static AdminState adminState(String field, String text) throws RejectedException {
    for (AdminState state : AdminState.values()) {
      if (state.text().equalsIgnoreCase(text)) {
        return state;
      }
    }
    throw RejectedException.invalid(
        field, field + " must be up, drain or down, not " + quoted(text));
  }

  /** The state of an item that cannot drain. */
  static AdminState upOrDown(String field, String text) throws RejectedException {
    for (AdminState state : Set.of(AdminState.UP, AdminState.DOWN)) {
      if (state.text().equalsIgnoreCase(text)) {
        return state;
      }
    }
    throw RejectedException.invalid(field, field + " must be up or down, not " + quoted(text));
  }

  static PlacementMode placement(String field, String text) throws RejectedException {
    for (PlacementMode mode : PlacementMode.values()) {
      if (mode.text().equalsIgnoreCase(text)) {
        return mode;
      }
    }
    throw RejectedException.invalid(
        field, field + " must be reactive, proactive or auto, not " + quoted(text));
  }

  /** Seconds of a health monitor. */
  static Integer seconds(String field, String text) throws RejectedException {
    return number(field, text, 1, Monitor.MAX_SECONDS, "from 1 to " + Monitor.MAX_SECONDS);
  }

  /** The number of checks in a row that decide. */
  static Integer attempts(String field, String text) throws RejectedException {
    return number(field, text, 1, Monitor.MAX_ATTEMPTS, "from 1 to " + Monitor.MAX_ATTEMPTS);
  }

  static Integer tcpPort(String field, String text) throws RejectedException {
    return number(field, text, 1, 65_535, "from 1 to 65535");
  }

  /** The type of a health monitor, by its name here or by Floodlight's name or number. */
  static Monitor.Type monitorType(String field, String text) throws RejectedException {
    return switch (text.toUpperCase(Locale.ROOT)) {
      case "ICMP", "1" -> Monitor.Type.PING;
      case "6" -> Monitor.Type.TCP;
      default -> oneOf(Monitor.Type.class, field, text);
    };
  }

  static <E extends Enum<E>> E oneOf(Class<E> type, String field, String text)
      throws RejectedException {
    for (E value : type.getEnumConstants()) {
      if (value.toString().equalsIgnoreCase(text)) {
        return value;
      }
    }
    throw RejectedException.invalid(
        field,
        field
            + " must be one of "
            + Stream.of(type.getEnumConstants()).map(Object::toString).collect(joining(", "))
            + ", not "
            + quoted(text));
  }

  private static int number(String field, String text, int min, int max, String range)
      throws RejectedException {
    int value = WHOLE_NUMBER.matcher(text).matches() ? Integer.parseInt(text) : -1;
    if (value < min || value > max) {
      throw RejectedException.invalid(
          field, field + " must be a whole number " + range + ", not " + quoted(text));
    }
    return value;
  }

  static Algorithm algorithm(String field, String text) throws RejectedException {
    return Algorithm.named(text)
        .orElseThrow(
            () ->
                RejectedException.invalid(
                    field,
                    field
                        + ": there is no algorithm "
                        + quoted(text)
                        + "; the algorithms are "
                        + String.join(", ", Algorithm.names())));
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

  static String quoted(String text) {
    String shown = text.length() <= 40 ? text : text.substring(0, 40) + "…";
    return "\"" + shown + "\"";
  }
}
