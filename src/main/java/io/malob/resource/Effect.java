package io.malob.resource;

/** The effect of a request on the controller's state. */
public enum Effect {
  /** Nothing. */
  READ,
  /** It changes state, or sends messages to switches. */
  WRITE
}
