package net.floodlightcontroller.core.module;

import java.util.Collection;
import java.util.Map;

/** A part of the controller: it offers services, needs services, and is started once. */
public interface IFloodlightModule {
  /** The services that this module offers; null or empty for none. */
  Collection<Class<? extends IFloodlightService>> getModuleServices();

  /** The objects behind these services. */
  Map<Class<? extends IFloodlightService>, IFloodlightService> getServiceImpls();

  /** The services that this module depends on. */
  Collection<Class<? extends IFloodlightService>> getModuleDependencies();

  /** Prepares the module; other modules are not ready yet. */
  void init(FloodlightModuleContext context) throws FloodlightModuleException;

  /** Starts the module; all modules have been prepared. */
  void startUp(FloodlightModuleContext context) throws FloodlightModuleException;
}
