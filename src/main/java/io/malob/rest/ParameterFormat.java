package io.malob.rest;

import com.google.common.collect.Lists;
import io.malob.algorithm.AddressText;
import io.malob.json.RejectedException;
import io.malob.resource.QueryParameters;
import io.malob.state.catalog.Protocol;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Parses values; invalid ones are rejected with 400 and the name of the field. */
final class ParameterFormat {
  /** The format of switches' ids: pairs of digits with colons, or all sixteen digits. */
  private static final Pattern SWITCH_ID =
      Pattern.compile("[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){7}|[0-9a-fA-F]{16}");

  private static final Pattern MAC = Pattern.compile("[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,10}");
  private static final long MAX_PORT = 0xffff_ff00L;
  private static final int LONGEST_SHOWN = 40;

  private ParameterFormat() {}

  static DatapathId switchId(String field, String text) throws RejectedException {
    if (!SWITCH_ID.matcher(text).matches()) {
      throw refused(field, "an id like 00:00:00:00:00:00:00:01", text);
    }
    return DatapathId.of(Long.parseUnsignedLong(text.replace(":", ""), 16));
  }

  /** The number of a switch's port. */
  static OFPort switchPort(String field, String text) throws RejectedException {
    return OFPort.of((int) number(field, text, 1, MAX_PORT));
  }

  static long number(String field, String text, long min, long max) throws RejectedException {
    long number = NUMBER.matcher(text).matches() ? Long.parseLong(text) : -1;
    if (number < min || number > max) {
      throw refused(field, "a whole number from " + min + " to " + max, text);
    }
    return number;
  }

  static int number(String field, String text, int min, int max) throws RejectedException {
    return (int) number(field, text, (long) min, (long) max);
  }

  /** The number of a parameter that can be missing. */
  static int number(QueryParameters parameters, String name, int min, int max, int otherwise)
      throws RejectedException {
    Optional<String> text = parameters.text(name);
    return text.isEmpty() ? otherwise : number(name, text.get(), min, max);
  }

  /** The address that a parameter names, if it is known here. */
  static IPAddress<?> knownAddress(String name, String text, Predicate<IPAddress<?>> isKnown)
      throws RejectedException {
    return AddressText.parse(text)
        .filter(isKnown)
        .orElseThrow(
            () ->
                RejectedException.notFound(
                    name, "no " + name + " has the id or the address " + text));
  }

  /** The address of a host, which can also be given by its MAC, see {@link #mac}. */
  static IPAddress<?> hostAddress(String field, String text) throws RejectedException {
    return AddressText.parse(text)
        .orElseThrow(
            () ->
                refused(
                    field,
                    "an address such as 10.0.0.1 or 2001:db8::1, or a MAC such as"
                        + " 02:00:00:00:00:01",
                    text));
  }

  /** A MAC address, if it is written as one. */
  static Optional<MacAddress> mac(String text) {
    return MAC.matcher(text).matches() ? Optional.of(MacAddress.of(text)) : Optional.empty();
  }

  static Protocol protocol(String field, String text) throws RejectedException {
    return Protocol.named(text).orElseThrow(() -> refused(field, "tcp, udp or icmp", text));
  }

  /** One of the values of an enum, in any case. */
  static <E extends Enum<E>> E oneOf(String field, String text, E[] values)
      throws RejectedException {
    for (E value : values) {
      if (value.name().equalsIgnoreCase(text)) {
        return value;
      }
    }
    String names = String.join(", ", Lists.transform(List.of(values), E::name));
    throw refused(field, "one of " + names.toLowerCase(Locale.ROOT), text);
  }

  /** An error with the expected value of a field. */
  static RejectedException refused(String field, String expected, String text) {
    String shown = text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "…";
    return RejectedException.invalid(
        field, field + " must be " + expected + ", not \"" + shown + "\"");
  }
}
