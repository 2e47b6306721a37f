package net.floodlightcontroller.core;

import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.types.DatapathId;

/** Told when switches come, change and go. */
public interface IOFSwitchListener {
  /** A switch has finished its handshake. */
  void switchAdded(DatapathId switchId);

  /** A switch has gone. */
  void switchRemoved(DatapathId switchId);

  /** A switch now takes orders from this controller. */
  void switchActivated(DatapathId switchId);

  /** A port came, went or changed. */
  void switchPortChanged(DatapathId switchId, OFPortDesc port, PortChangeType change);

  /** Something else about the switch changed. */
  void switchChanged(DatapathId switchId);

  /** A switch takes no more orders from this controller. */
  void switchDeactivated(DatapathId switchId);
}
