package io.malob.module;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.module.IFloodlightModuleContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The values of one module's settings. An invalid value or an unknown name is an error that names
 * the module and the setting.
 *
 * @param module the class that the settings belong to
 * @param declared its settings; no others are read
 * @param values the values by name
 */
public record SettingReader(
    Class<?> module, Collection<Setting<?>> declared, Map<String, String> values) {
  private static final Logger LOG = LoggerFactory.getLogger(SettingReader.class);

  /**
   * The settings of a module. A value under a deprecated name counts as one under the current name.
   *
   * @throws WrongSettingException if there is an unknown name, or a value under both names
   */
  public static SettingReader of(BaseModule module, IFloodlightModuleContext context)
      throws WrongSettingException {
    Class<?> type = module.getClass();
    List<Setting<?>> declared = module.settings();
    Map<String, String> values = new HashMap<>(context.getConfigParams(module));
    for (Setting<?> setting : declared) {
      rename(setting, type, values);
    }
    Set<String> known =
        declared.stream().map(setting -> setting.of(type)).collect(Collectors.toSet());
    for (String name : new TreeSet<>(values.keySet())) {
      if (!known.contains(type.getName() + "." + name)) {
        throw WrongSettingException.unknown(type.getName() + "." + name, known);
      }
    }
    return new SettingReader(type, declared, values);
  }

  /** Moves a value from the deprecated name of its setting to the current one. */
  private static void rename(Setting<?> setting, Class<?> module, Map<String, String> values)
      throws WrongSettingException {
    @Nullable String value = setting.deprecated().map(values::remove).orElse(null);
    if (value == null) {
      return;
    }
    String old = module.getName() + "." + setting.deprecated().orElseThrow();
    if (values.putIfAbsent(setting.name(), value) != null) {
      throw new WrongSettingException(
          old + " is the deprecated name of " + setting.name() + ", which is also set");
    }
    LOG.warn("setting_deprecated name={} use={}", old, setting.name());
  }

  /**
   * The value of a setting, or its default.
   *
   * @throws WrongSettingException if the value is invalid
   */
  public <T> T get(Setting<T> setting) throws WrongSettingException {
    String text = valueOf(setting);
    return parse(setting, text.isEmpty() ? setting.defaultText() : text);
  }

  /**
   * The value of a setting; empty if it has none.
   *
   * @throws WrongSettingException if the value is invalid
   */
  public <T> Optional<T> given(Setting<T> setting) throws WrongSettingException {
    String text = valueOf(setting);
    return text.isEmpty() ? Optional.empty() : Optional.of(parse(setting, text));
  }

  private String valueOf(Setting<?> setting) {
    if (declared.stream().noneMatch(each -> each.name().equals(setting.name()))) {
      throw new IllegalArgumentException(setting.of(module) + " is not declared");
    }
    return values.getOrDefault(setting.name(), "").trim();
  }

  private <T> T parse(Setting<T> setting, String text) throws WrongSettingException {
    return setting
        .parser()
        .apply(text)
        .orElseThrow(
            () -> wrong(setting, "must be " + setting.expected() + ", not \"" + text + "\""));
  }

  /** An error about the value of a setting. */
  public WrongSettingException wrong(Setting<?> setting, String problem) {
    return new WrongSettingException(setting.of(module) + " " + problem);
  }
}
