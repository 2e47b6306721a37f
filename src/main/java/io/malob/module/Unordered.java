package io.malob.module;

import net.floodlightcontroller.core.IListener;

/**
 * A listener that need not be called before or after others.
 *
 * @param <T> what it listens to
 */
public interface Unordered<T> extends IListener<T> {
  @Override
  default boolean isCallbackOrderingPrereq(T type, String name) {
    return false;
  }

  @Override
  default boolean isCallbackOrderingPostreq(T type, String name) {
    return false;
  }
}
