package net.floodlightcontroller.core;

/** Typed access to the facts in a {@link FloodlightContext}. */
public class FloodlightContextStore<V> {

  /** The fact under this key, or null. */
  @SuppressWarnings("unchecked")
  public V get(FloodlightContext context, String key) {
    return (V) context.getStorage().get(key);
  }

  /** Sets a fact. */
  public void put(FloodlightContext context, String key, V value) {
    context.getStorage().put(key, value);
  }

  /** Removes a fact. */
  public void remove(FloodlightContext context, String key) {
    context.getStorage().remove(key);
  }
}
