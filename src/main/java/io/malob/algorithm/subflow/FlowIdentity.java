package io.malob.algorithm.subflow;

import io.malob.algorithm.graph.DirectedLink;
import java.util.Comparator;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The common properties of sub-flows with one route through the network: their ingress switch, the
 * link by which they leave it, and their VLAN (section II.A.4 and 5 of "SDN-Based Load Balancing
 * for Multi-Path TCP": the HashMap of datapath id and port).
 *
 * @param first the link from the ingress switch to its neighbour
 * @param vlan from 1 to 4094; 0 if routes do not depend on the VLAN
 */
public record FlowIdentity(DirectedLink first, int vlan) implements Comparable<FlowIdentity> {
  /** All VLANs have the same routes. */
  public static final int ANY_VLAN = 0;

  private static final int LAST_VLAN = 4094;
  private static final Comparator<FlowIdentity> ORDER =
      Comparator.comparing(FlowIdentity::first).thenComparingInt(FlowIdentity::vlan);

  public FlowIdentity {
    if (vlan < ANY_VLAN || vlan > LAST_VLAN) {
      throw new IllegalArgumentException(
          "a VLAN is between 1 and " + LAST_VLAN + ", or 0 for any, not " + vlan);
    }
  }

  /** The ingress switch of the sub-flows. */
  public DatapathId ingress() {
    return first.src();
  }

  @Override
  public int compareTo(FlowIdentity other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return vlan == ANY_VLAN ? first.toString() : first + " in VLAN " + vlan;
  }
}
