package io.malob.algorithm.graph;

import java.util.Comparator;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * One direction of a link between two switches. Ordered by source switch, destination switch and
 * source port.
 */
public record DirectedLink(DatapathId src, OFPort srcPort, DatapathId dst, OFPort dstPort)
    implements Comparable<DirectedLink> {

  private static final Comparator<DirectedLink> ORDER =
      Comparator.comparing(DirectedLink::src)
          .thenComparing(DirectedLink::dst)
          .thenComparing(DirectedLink::srcPort)
          .thenComparing(DirectedLink::dstPort);

  /** The other direction of the same cable. */
  public DirectedLink reversed() {
    return new DirectedLink(
        /* src= */ dst, /* srcPort= */ dstPort, /* dst= */ src, /* dstPort= */ srcPort);
  }

  @Override
  public int compareTo(DirectedLink other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return src + "/" + srcPort + " -> " + dst + "/" + dstPort;
  }
}
