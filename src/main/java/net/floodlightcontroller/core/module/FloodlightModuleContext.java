package net.floodlightcontroller.core.module;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** The services and settings of a controller that is starting. Used by one thread. */
public class FloodlightModuleContext implements IFloodlightModuleContext {
  private final Map<Class<? extends IFloodlightService>, IFloodlightService> services =
      new LinkedHashMap<>();
  private final Map<Class<? extends IFloodlightModule>, Map<String, String>> settings =
      new HashMap<>();

  /** Adds a service. */
  public void addService(Class<? extends IFloodlightService> service, IFloodlightService object) {
    services.put(service, object);
  }

  /** Adds a setting of a module. */
  public void addConfigParam(IFloodlightModule module, String key, String value) {
    settings.computeIfAbsent(module.getClass(), any -> new HashMap<>()).put(key, value);
  }

  @Override
  public <T extends IFloodlightService> T getServiceImpl(Class<T> service) {
    return service.cast(services.get(service));
  }

  @Override
  public Map<String, String> getConfigParams(IFloodlightModule module) {
    return settings.getOrDefault(module.getClass(), Map.of());
  }
}
