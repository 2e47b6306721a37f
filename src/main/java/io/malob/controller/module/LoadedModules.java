package io.malob.controller.module;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.core.module.IFloodlightService;

/**
 * The available modules, and the running ones in the order of their start. Immutable.
 *
 * @param available all modules that could be loaded
 * @param loaded the running ones
 */
public record LoadedModules(List<IFloodlightModule> available, List<IFloodlightModule> loaded)
    implements IFloodlightService {

  /** The class of the module that provides a service: of those that run, or else of any. */
  public Optional<String> providerOf(Class<? extends IFloodlightService> service) {
    return loaded.stream()
        .filter(module -> provides(module, service))
        .findFirst()
        .or(() -> available.stream().filter(module -> provides(module, service)).findFirst())
        .map(module -> module.getClass().getName());
  }

  private static boolean provides(
      IFloodlightModule module, Class<? extends IFloodlightService> service) {
    Collection<Class<? extends IFloodlightService>> services = module.getModuleServices();
    return services != null && services.contains(service);
  }
}
