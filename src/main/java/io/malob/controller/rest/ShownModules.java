package io.malob.controller.rest;

import io.malob.controller.module.LoadedModules;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.jspecify.annotations.Nullable;

/**
 * Shows modules under their class names, with Floodlight's field names: services that each provides
 * and needs, and the modules that those come from.
 */
final class ShownModules {
  private ShownModules() {}

  /** Some of the modules. */
  static Map<String, Object> of(
      Collection<? extends IFloodlightModule> some, LoadedModules modules) {
    Map<String, Object> shown = new TreeMap<>();
    for (IFloodlightModule module : some) {
      shown.put(module.getClass().getName(), describe(module, modules));
    }
    return shown;
  }

  private static Map<String, Object> describe(IFloodlightModule module, LoadedModules modules) {
    return new Row()
        .put("name", module.getClass().getName())
        .put("provides", providers(module.getModuleServices(), modules))
        .put("depends", providers(module.getModuleDependencies(), modules))
        .put("loaded", modules.loaded().contains(module))
        .fields();
  }

  /** Each service with the class of the module that provides it; empty if none does. */
  private static Map<String, String> providers(
      @Nullable Collection<Class<? extends IFloodlightService>> services, LoadedModules modules) {
    return services == null
        ? Map.of()
        : services.stream()
            .collect(
                Collectors.toMap(
                    Class::getName,
                    service -> modules.providerOf(service).orElse(""),
                    (one, other) -> one,
                    TreeMap::new));
  }
}
