package io.malob.controller.module;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * Which modules to load and their settings, in the syntax of Floodlight's properties files: {@code
 * floodlight.modules=a,\ b} and {@code <module class>.<key>=<value>}. The module class {@code *}
 * stands for all modules. Immutable.
 */
public final class ModuleSettings {
  static final String MODULES_KEY = "floodlight.modules";
  private static final String ALL_MODULES = "*";

  private final List<String> modules;

  /** Later layers win over earlier ones. */
  private final List<Map<String, String>> layers;

  private ModuleSettings(List<String> modules, List<Map<String, String>> layers) {
    this.modules = modules;
    this.layers = layers;
  }

  /**
   * Reads a properties file.
   *
   * @throws IOException if it cannot be read or is not a properties file
   */
  public static ModuleSettings read(Reader reader) throws IOException {
    Properties properties = new Properties();
    try {
      properties.load(reader);
    } catch (IllegalArgumentException e) {
      throw new IOException("not a properties file: " + e.getMessage(), e);
    }
    Map<String, String> values = new HashMap<>();
    properties.stringPropertyNames().forEach(key -> values.put(key, properties.getProperty(key)));
    String listed = values.getOrDefault(MODULES_KEY, "");
    return new ModuleSettings(
        Splitter.on(',').trimResults().omitEmptyStrings().splitToList(listed), List.of(values));
  }

  /** The same as {@link #read}, from a text. */
  public static ModuleSettings parse(String text) throws IOException {
    return read(new StringReader(text));
  }

  /** These settings with others, {@code <module class>.<key>} to value, laid over them. */
  public ModuleSettings overlaidWith(Map<String, String> overrides) {
    List<Map<String, String>> all = new ArrayList<>(layers);
    all.add(Map.copyOf(overrides));
    return new ModuleSettings(modules, List.copyOf(all));
  }

  /** These settings with modules that are loaded whether they are listed or not. */
  public ModuleSettings including(String... moduleClasses) {
    Set<String> all = new LinkedHashSet<>(modules);
    all.addAll(List.of(moduleClasses));
    return new ModuleSettings(List.copyOf(all), layers);
  }

  /** The class names of the modules to load, in the order in which they are listed. */
  public List<String> modules() {
    return modules;
  }

  /** The names of all settings, as in {@code <module class>.<key>}. */
  Set<String> names() {
    Set<String> names = new LinkedHashSet<>();
    layers.forEach(layer -> names.addAll(layer.keySet()));
    return names;
  }

  /** The settings of one module by key; a module's own win over those of all modules. */
  public Map<String, String> of(String moduleClass) {
    Map<String, String> result = new HashMap<>();
    for (Map<String, String> layer : layers) {
      collect(layer, ALL_MODULES, result);
      collect(layer, moduleClass, result);
    }
    return result;
  }

  private static void collect(Map<String, String> layer, String owner, Map<String, String> result) {
    layer.forEach(
        (name, value) -> {
          int dot = name.lastIndexOf('.');
          if (dot == owner.length() && name.startsWith(owner)) {
            result.put(name.substring(dot + 1), value.trim());
          }
        });
  }
}
