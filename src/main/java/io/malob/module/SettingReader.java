package io.malob.module;

import com.google.common.base.Splitter;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.core.module.IFloodlightModuleContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Typed access to the settings of one module. An invalid value or an unknown key is an error that
 * names the module and the key.
 *
 * @param module the class that the settings belong to
 * @param values the settings by key
 */
public record SettingReader(Class<?> module, Map<String, String> values) {
  private static final Logger LOG = LoggerFactory.getLogger(SettingReader.class);

  /**
   * The settings of a module that declares their names by {@link Settings}. A value under a
   * deprecated name counts as one under the current name.
   *
   * @throws WrongSettingException if there is an unknown name, or a value under both names
   */
  public static SettingReader of(IFloodlightModule module, IFloodlightModuleContext context)
      throws WrongSettingException {
    Class<?> type = module.getClass();
    Map<String, String> values = withCurrentNames(type, context.getConfigParams(module));
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

  private static Map<String, String> withCurrentNames(Class<?> module, Map<String, String> given)
      throws WrongSettingException {
    Map<String, String> values = new HashMap<>(given);
    for (Map.Entry<String, String> name : deprecatedNames(module).entrySet()) {
      @Nullable String value = values.remove(name.getKey());
      if (value != null) {
        String old = module.getName() + "." + name.getKey();
        if (values.putIfAbsent(name.getValue(), value) != null) {
          throw new WrongSettingException(
              old + " is the deprecated name of " + name.getValue() + ", which is also set");
        }
        LOG.warn("setting_deprecated name={} use={}", old, name.getValue());
      }
    }
    return values;
  }

  /** The current names of a module's settings by their deprecated names. */
  public static Map<String, String> deprecatedNames(Class<?> module) {
    @Nullable Settings settings = module.getAnnotation(Settings.class);
    return settings == null || settings.deprecated().length == 0
        ? Map.of()
        : Splitter.on(',')
            .withKeyValueSeparator('=')
            .split(String.join(",", settings.deprecated()));
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
