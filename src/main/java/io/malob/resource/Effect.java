package io.malob.resource;

import java.util.Map;

/** The effect of a request on the controller's state. */
public enum Effect {
  /** Nothing. */
  READ,
  /** It changes state, or sends messages to switches. */
  WRITE;

  /** The attribute of a request with its granted effect. */
  private static final String GRANTED = Effect.class.getName();

  /** Notes that a request with these attributes may have this effect. */
  public void grantTo(Map<String, Object> attributes) {
    attributes.put(GRANTED, this);
  }

  /** Whether a request with these attributes may have this effect. */
  public boolean isGrantedTo(Map<String, Object> attributes) {
    Object granted = attributes.get(GRANTED);
    return granted == WRITE || granted == this;
  }
}
