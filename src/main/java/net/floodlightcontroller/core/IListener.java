package net.floodlightcontroller.core;

/** A listener with constraints on its order. */
public interface IListener<T> {
  /** The name by which other listeners order themselves. */
  String getName();

  /** Whether the listener of that name must be called before this one. */
  boolean isCallbackOrderingPrereq(T type, String name);

  /** Whether the listener of that name must be called after this one. */
  boolean isCallbackOrderingPostreq(T type, String name);

  /** Whether later listeners get the message too. */
  enum Command {
    CONTINUE,
    STOP
  }
}
