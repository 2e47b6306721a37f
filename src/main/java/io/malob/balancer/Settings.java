package io.malob.balancer;

import java.util.Map;
import java.util.Optional;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.jspecify.annotations.Nullable;

/** The settings of the module, with errors that name the setting. */
final class Settings {
  private final Map<String, String> values;

  Settings(Map<String, String> values) {
    this.values = values;
  }

  /** A text; empty if it is not set or blank. */
  Optional<String> text(String key) {
    return Optional.ofNullable(values.get(key)).map(String::trim).filter(text -> !text.isEmpty());
  }

  /** A whole number within these bounds. */
  int number(String key, int fallback, int min, int max) throws FloodlightModuleException {
    @Nullable String text = text(key).orElse(null);
    if (text == null) {
      return fallback;
    }
    try {
      int number = Integer.parseInt(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // told below, as for a number that is out of bounds
    }
    throw new FloodlightModuleException(
        BalancerModule.class.getName()
            + "."
            + key
            + " must be a whole number from "
            + min
            + " to "
            + max
            + ", not '"
            + text
            + "'");
  }
}
