package io.malob.module;

import java.util.Map;
import net.floodlightcontroller.core.module.FloodlightModuleException;

/**
 * Typed access to the settings of one module. A value that is not valid is an error that names the
 * module and the key.
 *
 * @param module the class that the settings belong to
 * @param values the settings by key
 */
public record SettingReader(Class<?> module, Map<String, String> values) {

  /** The text under this key, or the default if there is none or it is empty. */
  public String text(String key, String defaultValue) {
    String value = values.getOrDefault(key, "").trim();
    return value.isEmpty() ? defaultValue : value;
  }

  /**
   * Whether the text under this key is "true", or the default.
   *
   * @throws FloodlightModuleException if it is neither "true" nor "false"
   */
  public boolean flag(String key, boolean defaultValue) throws FloodlightModuleException {
    String text = text(key, Boolean.toString(defaultValue));
    if (!text.equals("true") && !text.equals("false")) {
      throw new FloodlightModuleException(
          String.format("%s.%s must be true or false, not \"%s\"", module.getName(), key, text));
    }
    return text.equals("true");
  }

  /**
   * The whole number under this key, or the default.
   *
   * @throws FloodlightModuleException if it is no number or outside of the bounds (both inclusive)
   */
  public int number(String key, int defaultValue, int min, int max)
      throws FloodlightModuleException {
    String text = text(key, Integer.toString(defaultValue));
    try {
      int number = Integer.parseInt(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below, with the bounds
    }
    throw new FloodlightModuleException(
        String.format(
            "%s.%s must be a whole number from %d to %d, not \"%s\"",
            module.getName(), key, min, max, text));
  }
}
