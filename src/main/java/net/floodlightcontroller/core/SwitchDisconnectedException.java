package net.floodlightcontroller.core;

import org.projectfloodlight.openflow.types.DatapathId;

/** A switch has disconnected before it answered. */
public class SwitchDisconnectedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final DatapathId id;

  public SwitchDisconnectedException(DatapathId id) {
    super("Switch " + id + " is not connected");
    this.id = id;
  }

  /** The switch. */
  public DatapathId getId() {
    return id;
  }
}
