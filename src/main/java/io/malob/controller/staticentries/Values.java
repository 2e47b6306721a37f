package io.malob.controller.staticentries;

import io.malob.json.RejectedException;
import org.projectfloodlight.openflow.types.OFPort;

/** Reads the values of fields. Pure. */
final class Values {
  private Values() {}

  /**
   * A number, decimal or hexadecimal with 0x.
   *
   * @throws RejectedException if it is none, or not within the bounds
   */
  static int number(String field, String text, int min, int max) throws RejectedException {
    String trimmed = text.trim();
    try {
      int number =
          trimmed.startsWith("0x")
              ? Integer.parseInt(trimmed.substring(2), 16)
              : Integer.parseInt(trimmed);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw RejectedException.invalid(
        field,
        String.format(
            "%s must be a number from %d to %d, but is \"%s\"", field, min, max, trimmed));
  }

  /** A port by its number or by the name of a reserved one. */
  static OFPort port(String field, String text) throws RejectedException {
    return switch (text.trim()) {
      case "controller" -> OFPort.CONTROLLER;
      case "in_port" -> OFPort.IN_PORT;
      case "flood" -> OFPort.FLOOD;
      case "all" -> OFPort.ALL;
      case "normal" -> OFPort.NORMAL;
      case "local" -> OFPort.LOCAL;
      default -> OFPort.of(number(field, text, 1, 0x7fff_ffff));
    };
  }
}
