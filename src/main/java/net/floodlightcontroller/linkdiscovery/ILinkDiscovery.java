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
    PORT_DOWN("Port Down"),
    TUNNEL_PORT_ADDED("Tunnel Port Added"),
    TUNNEL_PORT_REMOVED("Tunnel Port Removed");

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
    BASIC_SWITCH,
    CORE_SWITCH
  }

  /** The kind of connection between the two ports of a link. */
  enum LinkType {
    INVALID_LINK,
    DIRECT_LINK,
    MULTIHOP_LINK,
    TUNNEL
  }

  /** Whether a link was seen in one direction or in both. */
  enum LinkDirection {
    UNIDIRECTIONAL,
    BIDIRECTIONAL
  }

  /** One change; fields that do not belong to its kind are null. */
  class LDUpdate {
    protected DatapathId src;
    protected OFPort srcPort;
    protected DatapathId dst;
    protected OFPort dstPort;
    protected U64 latency;
    protected SwitchType srcType;
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
      this.srcType = type;
      this.operation = operation;
    }

    /** A port changed. */
    public LDUpdate(DatapathId switchId, OFPort port, UpdateOperation operation) {
      this.src = switchId;
      this.srcPort = port;
      this.operation = operation;
    }

    /** A copy. */
    public LDUpdate(LDUpdate other) {
      src = other.src;
      srcPort = other.srcPort;
      dst = other.dst;
      dstPort = other.dstPort;
      latency = other.latency;
      srcType = other.srcType;
      type = other.type;
      operation = other.operation;
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

    public U64 getLatency() {
      return latency;
    }

    public SwitchType getSrcType() {
      return srcType;
    }

    public LinkType getType() {
      return type;
    }

    public UpdateOperation getOperation() {
      return operation;
    }

    public void setOperation(UpdateOperation operation) {
      this.operation = operation;
    }

    @Override
    public String toString() {
      return operation + " " + src + "/" + srcPort + " -> " + dst + "/" + dstPort;
    }
  }
}
