package net.floodlightcontroller.core.module;

import java.util.Map;

/** The services and settings for a starting module. */
public interface IFloodlightModuleContext {
  /** The object behind a service, or null. */
  <T extends IFloodlightService> T getServiceImpl(Class<T> service);

  /** The settings of a module. */
  Map<String, String> getConfigParams(IFloodlightModule floodlightModule);
}
