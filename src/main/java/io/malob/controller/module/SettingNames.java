package io.malob.controller.module;

import io.malob.module.BaseModule;
import io.malob.module.Setting;
import io.malob.module.WrongSettingException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import net.floodlightcontroller.core.module.IFloodlightModule;

/**
 * The known settings: those that MALOB's modules declare. Other modules may have any setting.
 * Immutable.
 */
final class SettingNames {
  private static final String ALL_MODULES = "*";

  /** The modules that do not declare their settings. */
  private final Set<String> others = new HashSet<>();

  private final TreeSet<String> known = new TreeSet<>();

  /** Still accepted, but never suggested. */
  private final Set<String> deprecated = new HashSet<>();

  /** The settings of these modules, whether they are loaded or not. */
  SettingNames(Collection<IFloodlightModule> available) {
    known.add(ModuleSettings.MODULES_KEY);
    for (IFloodlightModule module : available) {
      String name = module.getClass().getName();
      if (!(module instanceof BaseModule ours)) {
        others.add(name);
        continue;
      }
      for (Setting<?> setting : ours.settings()) {
        for (String owner : List.of(name, ALL_MODULES)) {
          known.add(owner + "." + setting.name());
          setting.deprecated().ifPresent(old -> deprecated.add(owner + "." + old));
        }
      }
    }
  }

  /** Whether a module takes a setting that is for all modules. */
  boolean takes(IFloodlightModule module, String key) {
    return !(module instanceof BaseModule ours)
        || ours.settings().stream()
            .anyMatch(
                setting ->
                    setting.name().equals(key)
                        || setting.deprecated().filter(key::equals).isPresent());
  }

  /**
   * Checks the names in properties files.
   *
   * @throws WrongSettingException naming an unknown setting, and the nearest known one
   */
  void check(Collection<String> names) throws WrongSettingException {
    for (String name : new TreeSet<>(names)) {
      String owner = name.substring(0, Math.max(0, name.lastIndexOf('.')));
      if (!others.contains(owner) && !known.contains(name) && !deprecated.contains(name)) {
        throw WrongSettingException.unknown(name, known);
      }
    }
  }
}
