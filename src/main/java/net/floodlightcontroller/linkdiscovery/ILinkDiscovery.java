package net.floodlightcontroller.linkdiscovery;

import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/** The vocabulary of link discovery. */
public interface ILinkDiscovery {

  /** What happened to a link, a switch or a port. */
  enum UpdateOperation {
    LINK_UPDATED("Link Updated"),
    LINK_REMOVED("Link Removed"),
    SWITCH_UPDATED("Switch Updated"),
    SWITCH_REMOVED("Switch Removed"),
    PORT_UP("Port Up"),
    PORT_DOWN("Port Down");

    private final String text;

    UpdateOperation(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** The position of a switch in the network. */
  enum SwitchType {
    BASIC_SWITCH
  }

  /** The kind of connection between the two ports of a link. */
  enum LinkType {
    INVALID_LINK,
    DIRECT_LINK,
    MULTIHOP_LINK
  }

  /** One change; fields that do not belong to its kind are null. */
  class LDUpdate {
    protected DatapathId src;
    protected OFPort srcPort;
    protected DatapathId dst;
    protected OFPort dstPort;
    protected U64 latency;
    protected LinkType type;
    protected UpdateOperation operation;

    /** A link changed. */
    public LDUpdate(
        DatapathId src,
        OFPort srcPort,
        DatapathId dst,
        OFPort dstPort,
        U64 latency,
        LinkType type,
        UpdateOperation operation) {
      this.src = src;
      this.srcPort = srcPort;
      this.dst = dst;
      this.dstPort = dstPort;
      this.latency = latency;
      this.type = type;
      this.operation = operation;
    }

    /** A switch changed. */
    public LDUpdate(DatapathId switchId, SwitchType type, UpdateOperation operation) {
      this.src = switchId;
      this.operation = operation;
    }

    /** A port changed. */
    public LDUpdate(DatapathId switchId, OFPort port, UpdateOperation operation) {
      this.src = switchId;
      this.srcPort = port;
      this.operation = operation;
    }

    public DatapathId getSrc() {
      return src;
    }

    public OFPort getSrcPort() {
      return srcPort;
    }

    public DatapathId getDst() {
      return dst;
    }

    public OFPort getDstPort() {
      return dstPort;
    }

    public LinkType getType() {
      return type;
    }

    public UpdateOperation getOperation() {
      return operation;
    }

    @Override
    public String toString() {
      return operation + " " + src + "/" + srcPort + " -> " + dst + "/" + dstPort;
    }
  }
}
