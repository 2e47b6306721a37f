package io.malob.controller.module;

import com.google.common.collect.ImmutableSet;
import io.malob.module.SettingReader;
import io.malob.module.Settings;
import io.malob.module.WrongSettingException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.floodlightcontroller.core.module.IFloodlightModule;

/**
 * The known settings: those that modules declare by {@link Settings}. A module without this
 * annotation is not part of MALOB, and may have any setting. Immutable.
 */
final class SettingNames {
  private static final String ALL_MODULES = "*";

  /** By module class; empty for modules that do not declare them. */
  private final Map<String, Optional<ImmutableSet<String>>> byModule = new TreeMap<>();

  private final TreeSet<String> known = new TreeSet<>();

  /** Still accepted, but never suggested. */
  private final Set<String> deprecated = new HashSet<>();

  /** The settings of these modules, whether they are loaded or not. */
  SettingNames(Collection<IFloodlightModule> available) {
    known.add(ModuleSettings.MODULES_KEY);
    for (IFloodlightModule module : available) {
      String name = module.getClass().getName();
      byModule.put(name, declared(module));
      for (String key : declared(module).orElse(ImmutableSet.of())) {
        known.add(name + "." + key);
        known.add(ALL_MODULES + "." + key);
      }
      for (String key : SettingReader.deprecatedNames(module.getClass()).keySet()) {
        deprecated.add(name + "." + key);
        deprecated.add(ALL_MODULES + "." + key);
      }
    }
  }

  private static Optional<ImmutableSet<String>> declared(IFloodlightModule module) {
    return Optional.ofNullable(module.getClass().getAnnotation(Settings.class))
        .map(settings -> ImmutableSet.copyOf(settings.value()));
  }

  /** Whether a module takes a setting that is for all modules. */
  boolean takes(IFloodlightModule module, String key) {
    return declared(module).map(names -> names.contains(key)).orElse(true)
        || SettingReader.deprecatedNames(module.getClass()).containsKey(key);
  }

  /**
   * Checks the names in properties files.
   *
   * @throws WrongSettingException naming an unknown setting, and the nearest known one
   */
  void check(Collection<String> names) throws WrongSettingException {
    for (String name : new TreeSet<>(names)) {
      String owner = name.substring(0, Math.max(0, name.lastIndexOf('.')));
      boolean isOthers =
          byModule.containsKey(owner) && byModule.getOrDefault(owner, Optional.empty()).isEmpty();
      if (!isOthers && !known.contains(name) && !deprecated.contains(name)) {
        throw WrongSettingException.unknown(name, known);
      }
    }
  }
}
