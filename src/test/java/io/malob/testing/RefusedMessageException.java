package io.malob.testing;

import org.projectfloodlight.openflow.protocol.OFErrorMsg;

/** A fake switch refuses a message, which changes nothing there. */
public final class RefusedMessageException extends RuntimeException {
  private final transient OFErrorMsg error;

  RefusedMessageException(OFErrorMsg error) {
    super(error.toString());
    this.error = error;
  }

  /** What the switch tells the controller. */
  public OFErrorMsg error() {
    return error;
  }
}
