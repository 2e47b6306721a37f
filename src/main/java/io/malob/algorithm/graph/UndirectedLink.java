package io.malob.algorithm.graph;

import java.util.Comparator;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * A link between two switches, both of its directions taken together. Ordered by switches, then by
 * ports.
 *
 * @param a the switch with the smaller id
 * @param aPort its port
 * @param b the other one
 * @param bPort its port
 */
public record UndirectedLink(DatapathId a, OFPort aPort, DatapathId b, OFPort bPort)
    implements Comparable<UndirectedLink> {

  private static final Comparator<UndirectedLink> ORDER =
      Comparator.comparing(UndirectedLink::a)
          .thenComparing(UndirectedLink::b)
          .thenComparing(UndirectedLink::aPort)
          .thenComparing(UndirectedLink::bPort);

  /** The link that a direction belongs to. */
  public static UndirectedLink of(DirectedLink link) {
    return link.src().compareTo(link.dst()) <= 0
        ? new UndirectedLink(link.src(), link.srcPort(), link.dst(), link.dstPort())
        : new UndirectedLink(link.dst(), link.dstPort(), link.src(), link.srcPort());
  }

  @Override
  public int compareTo(UndirectedLink other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return a + "/" + aPort + " - " + b + "/" + bPort;
  }
}
