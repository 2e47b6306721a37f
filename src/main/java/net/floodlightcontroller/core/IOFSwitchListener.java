package net.floodlightcontroller.core;

import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.types.DatapathId;

/** Listener for switches that connect, change or disconnect. */
public interface IOFSwitchListener {
  /** A switch has finished its handshake. */
  void switchAdded(DatapathId switchId);

  /** A switch has disconnected. */
  void switchRemoved(DatapathId switchId);

  /** This controller is now master of the switch. */
  void switchActivated(DatapathId switchId);

  /** A port came, went or changed. */
  void switchPortChanged(DatapathId switchId, OFPortDesc port, PortChangeType change);

  /** Another property of the switch changed. */
  void switchChanged(DatapathId switchId);

  /** This controller is no longer master of the switch. */
  void switchDeactivated(DatapathId switchId);
}
