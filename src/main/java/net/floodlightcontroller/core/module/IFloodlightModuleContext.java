package net.floodlightcontroller.core.module;

import java.util.Collection;
import java.util.Map;

/** The services and settings for a starting module. */
public interface IFloodlightModuleContext {
  /** The object behind a service, or null. */
  <T extends IFloodlightService> T getServiceImpl(Class<T> service);

  /** All services on offer. */
  Collection<Class<? extends IFloodlightService>> getAllServices();

  /** The settings of a module. */
  Map<String, String> getConfigParams(IFloodlightModule floodlightModule);

  /** The settings of a module class. */
  Map<String, String> getConfigParams(Class<? extends IFloodlightModule> service);
}
