package net.floodlightcontroller.core;

import java.util.concurrent.ConcurrentHashMap;

/**
 * What the listeners of one message tell each other. Most messages need none of it, so the storage
 * is made when it is first asked for.
 */
public class FloodlightContext {
  private volatile ConcurrentHashMap<String, Object> storage;

  /** The facts by key. */
  public ConcurrentHashMap<String, Object> getStorage() {
    ConcurrentHashMap<String, Object> current = storage;
    if (current == null) {
      synchronized (this) {
        current = storage;
        if (current == null) {
          current = new ConcurrentHashMap<>();
          storage = current;
        }
      }
    }
    return current;
  }
}
