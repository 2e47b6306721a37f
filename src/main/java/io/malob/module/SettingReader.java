package io.malob.module;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.core.module.IFloodlightModuleContext;
import org.jspecify.annotations.Nullable;

/**
 * Typed access to the settings of one module. A value that is not valid is an error that names the
 * module and the key, and so is a key that the module does not know.
 *
 * @param module the class that the settings belong to
 * @param values the settings by key
 */
public record SettingReader(Class<?> module, Map<String, String> values) {

  /**
   * The settings of a module that declares their names by {@link Settings}.
   *
   * @throws WrongSettingException if there are others
   */
  public static SettingReader of(IFloodlightModule module, IFloodlightModuleContext context)
      throws WrongSettingException {
    Class<?> type = module.getClass();
    Map<String, String> values = context.getConfigParams(module);
    Set<String> known =
        names(type).stream().map(name -> type.getName() + "." + name).collect(Collectors.toSet());
    for (String key : new TreeSet<>(values.keySet())) {
      String name = type.getName() + "." + key;
      if (!known.contains(name)) {
        throw WrongSettingException.unknown(name, known);
      }
    }
    return new SettingReader(type, values);
  }

  private static Set<String> names(Class<?> module) {
    @Nullable Settings settings = module.getAnnotation(Settings.class);
    return settings == null ? Set.of() : Set.of(settings.value());
  }

  /** The text under this key, or the default if there is none or it is empty. */
  public String text(String key, String defaultValue) {
    if (module.isAnnotationPresent(Settings.class) && !names(module).contains(key)) {
      throw new IllegalArgumentException(
          "@Settings of " + module.getName() + " does not have " + key);
    }
    String value = values.getOrDefault(key, "").trim();
    return value.isEmpty() ? defaultValue : value;
  }

  /**
   * Whether the text under this key is "true", or the default.
   *
   * @throws WrongSettingException if it is neither "true" nor "false"
   */
  public boolean flag(String key, boolean defaultValue) throws WrongSettingException {
    String text = text(key, Boolean.toString(defaultValue));
    if (!text.equals("true") && !text.equals("false")) {
      throw new WrongSettingException(
          String.format("%s.%s must be true or false, not \"%s\"", module.getName(), key, text));
    }
    return text.equals("true");
  }

  /**
   * The whole number under this key, or the default.
   *
   * @throws WrongSettingException if it is no number or outside of the bounds (both inclusive)
   */
  public int number(String key, int defaultValue, int min, int max) throws WrongSettingException {
    String text = text(key, Integer.toString(defaultValue));
    try {
      int number = Integer.parseInt(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below, with the bounds
    }
    throw new WrongSettingException(
        String.format(
            "%s.%s must be a whole number from %d to %d, not \"%s\"",
            module.getName(), key, min, max, text));
  }
}
