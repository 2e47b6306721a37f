package io.malob.controller.channel;

import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFMessage;

/** A switch answered a request with an error. */
public final class OpenFlowErrorException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient OFErrorMsg error;

  /** The error that answers this request. */
  public OpenFlowErrorException(OFMessage request, OFErrorMsg error) {
    super("The switch answered " + request.getType() + " with " + ErrorKind.of(error));
    this.error = error;
  }

  /** The switch's answer. */
  public OFErrorMsg error() {
    return error;
  }
}
