package io.malob.controller.network;

import java.util.Map;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightModule;

/** The numbers that a module's configuration gives, with defaults. Immutable. */
public final class Settings {
  private final String module;
  private final Map<String, String> values;

  private Settings(String module, Map<String, String> values) {
    this.module = module;
    this.values = values;
  }

  /** The settings of that module. */
  public static Settings of(FloodlightModuleContext context, IFloodlightModule module) {
    return new Settings(module.getClass().getName(), context.getConfigParams(module));
  }

  /**
   * The whole number under a key, or what is meant without it.
   *
   * @throws FloodlightModuleException if it is no number from 1 to most
   */
  public int number(String key, int otherwise, int most) throws FloodlightModuleException {
    String text = values.getOrDefault(key, String.valueOf(otherwise)).trim();
    try {
      int number = Integer.parseInt(text);
      if (number >= 1 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // refused below, with the name of the key
    }
    throw new FloodlightModuleException(
        module + "." + key + " must be a whole number from 1 to " + most + ", not '" + text + "'");
  }
}
