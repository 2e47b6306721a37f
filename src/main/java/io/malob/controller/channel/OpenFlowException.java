package io.malob.controller.channel;

/** A request to a switch failed; the message contains the reason. */
public final class OpenFlowException extends Exception {
  private static final long serialVersionUID = 1L;

  /** A request that failed for this reason. */
  public OpenFlowException(String message) {
    super(message);
  }
}
