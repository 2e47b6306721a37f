package io.malob.controller.channel;

/** A request to a switch that has no result; the message says why, for a person to read. */
public final class OpenFlowException extends Exception {
  private static final long serialVersionUID = 1L;

  /** A request that failed for this reason. */
  public OpenFlowException(String message) {
    super(message);
  }
}
