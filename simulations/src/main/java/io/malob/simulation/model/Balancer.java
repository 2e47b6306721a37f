package io.malob.simulation.model;

import io.malob.algorithm.Placement;
import org.projectfloodlight.openflow.types.DatapathId;

/** Chooses the server and the paths of each request. */
interface Balancer {

  /**
   * A request that has been placed.
   *
   * @param whenEnded learns from it
   */
  record Placed(Placement placement, Runnable whenEnded) {}

  /** Chooses, and counts the connection until {@link #ended}. */
  Placed place(DatapathId clientSwitch, Service service);

  /** The connection is over. */
  void ended(Placed placed);
}
