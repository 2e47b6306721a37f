package net.floodlightcontroller.core;

/** What happened to a port. */
public enum PortChangeType {
  ADD,
  OTHER_UPDATE,
  DELETE,
  UP,
  DOWN
}
