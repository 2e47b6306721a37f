package net.floodlightcontroller.core.types;

import java.util.Objects;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** A port of a switch. Ordered by switch, then port. */
public class NodePortTuple implements Comparable<NodePortTuple> {
  protected DatapathId nodeId;
  protected OFPort portId;

  public NodePortTuple(DatapathId nodeId, OFPort portId) {
    this.nodeId = nodeId;
    this.portId = portId;
  }

  public DatapathId getNodeId() {
    return nodeId;
  }

  public OFPort getPortId() {
    return portId;
  }

  @Override
  public int hashCode() {
    return Objects.hash(nodeId, portId);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NodePortTuple that
        && Objects.equals(nodeId, that.nodeId)
        && Objects.equals(portId, that.portId);
  }

  @Override
  public int compareTo(NodePortTuple other) {
    int bySwitch = nodeId.compareTo(other.nodeId);
    return bySwitch != 0 ? bySwitch : portId.compareTo(other.portId);
  }

  @Override
  public String toString() {
    return nodeId + "/" + portId;
  }
}
