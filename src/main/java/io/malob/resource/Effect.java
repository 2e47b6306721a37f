package io.malob.resource;

import java.util.Map;

/** What a request does to the controller's state. */
public enum Effect {
  /** Nothing. */
  READ,
  /** It changes or deletes something, or sends something to switches. */
  WRITE;

  /** Where a request carries the effect that was granted to it, among its attributes. */
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
