package net.floodlightcontroller.devicemanager;

import net.floodlightcontroller.core.types.NodePortTuple;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** A port where a host is attached. */
public class SwitchPort extends NodePortTuple {

  public SwitchPort(DatapathId nodeId, OFPort portId) {
    super(nodeId, portId);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SwitchPort && super.equals(other);
  }
}
