package io.malob.simulation.subflow;

import io.malob.algorithm.graph.Path;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/** The paths of packets through the network. */
public interface SubflowPaths {
  /**
   * The path of packets from an address on one switch to hosts on another.
   *
   * @throws IllegalArgumentException if there is none
   */
  Path of(IPv4Address source, DatapathId ingress, DatapathId egress);
}
