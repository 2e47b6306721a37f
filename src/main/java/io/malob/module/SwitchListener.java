package io.malob.module;

import net.floodlightcontroller.core.IOFSwitchListener;
import net.floodlightcontroller.core.PortChangeType;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.types.DatapathId;

/** A listener that overrides only the events of switches that it needs. */
public interface SwitchListener extends IOFSwitchListener {
  @Override
  default void switchAdded(DatapathId switchId) {}

  @Override
  default void switchRemoved(DatapathId switchId) {}

  @Override
  default void switchActivated(DatapathId switchId) {}

  @Override
  default void switchPortChanged(DatapathId switchId, OFPortDesc port, PortChangeType change) {}

  @Override
  default void switchChanged(DatapathId switchId) {}

  @Override
  default void switchDeactivated(DatapathId switchId) {}
}
