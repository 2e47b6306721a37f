package io.malob.algorithm.subflow;

import org.projectfloodlight.openflow.types.DatapathId;

/** Where the sub-flows of an identity leave the network. */
@FunctionalInterface
public interface Traffic {
  /**
   * Which part of an identity's sub-flows goes to hosts on a switch, its own included, from 0 to 1;
   * over all switches at most 1.
   */
  double share(FlowIdentity identity, DatapathId egress);
}
