package net.floodlightcontroller.core;

/** Listener for the stop of the controller. */
public interface IShutdownListener {
  /** The controller is about to stop. */
  void floodlightIsShuttingDown();
}
