package net.floodlightcontroller.linkdiscovery;

import java.util.Objects;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/** A directed link between two switch ports. Its latency does not count for equality. */
public class Link implements Comparable<Link> {
  private final DatapathId src;
  private final OFPort srcPort;
  private final DatapathId dst;
  private final OFPort dstPort;
  private final U64 latency;

  public Link(DatapathId src, OFPort srcPort, DatapathId dst, OFPort dstPort, U64 latency) {
    this.src = src;
    this.srcPort = srcPort;
    this.dst = dst;
    this.dstPort = dstPort;
    this.latency = latency;
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

  /** The one-way latency in milliseconds. */
  public U64 getLatency() {
    return latency;
  }

  @Override
  public int hashCode() {
    return Objects.hash(src, srcPort, dst, dstPort);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Link that
        && Objects.equals(src, that.src)
        && Objects.equals(srcPort, that.srcPort)
        && Objects.equals(dst, that.dst)
        && Objects.equals(dstPort, that.dstPort);
  }

  /** Orders by source switch and port, then by destination switch and port. */
  @Override
  public int compareTo(Link other) {
    int order = src.compareTo(other.src);
    if (order == 0) {
      order = srcPort.compareTo(other.srcPort);
    }
    if (order == 0) {
      order = dst.compareTo(other.dst);
    }
    return order != 0 ? order : dstPort.compareTo(other.dstPort);
  }

  @Override
  public String toString() {
    return src + "/" + srcPort + " -> " + dst + "/" + dstPort;
  }
}
