package net.floodlightcontroller.core;

import net.floodlightcontroller.core.module.IFloodlightService;

/** Stops the controller. */
public interface IShutdownService extends IFloodlightService {
  /** Stops the process with this exit status, for a stated reason. */
  void terminate(String name, int status);

  /** Adds a listener for the stop of the process. */
  void registerShutdownListener(IShutdownListener shutdownListener);
}
