package io.malob.algorithm.subflow;

import org.projectfloodlight.openflow.types.DatapathId;

/** The egress switches of the sub-flows of an identity. */
@FunctionalInterface
public interface Traffic {
  /**
   * The part of an identity's sub-flows to hosts on a switch, also its own, from 0 to 1; over all
   * switches max 1.
   */
  double share(FlowIdentity identity, DatapathId egress);
}
