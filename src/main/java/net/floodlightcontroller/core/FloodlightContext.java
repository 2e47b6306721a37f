package net.floodlightcontroller.core;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Data that the listeners of one message share. Most messages need none, so the storage is created
 * on first use.
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
