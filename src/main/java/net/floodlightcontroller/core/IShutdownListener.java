package net.floodlightcontroller.core;

/** Told when the controller stops. */
public interface IShutdownListener {
  /** The controller is about to stop. */
  void floodlightIsShuttingDown();
}
