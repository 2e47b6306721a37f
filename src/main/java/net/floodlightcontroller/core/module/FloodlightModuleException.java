package net.floodlightcontroller.core.module;

/** A module cannot be prepared or started; the message names it and the reason. */
public class FloodlightModuleException extends Exception {
  private static final long serialVersionUID = 1L;

  public FloodlightModuleException(String message) {
    super(message);
  }

  public FloodlightModuleException(String message, Throwable cause) {
    super(message, cause);
  }
}
