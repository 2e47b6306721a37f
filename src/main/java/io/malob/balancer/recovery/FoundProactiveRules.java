package io.malob.balancer.recovery;

import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Compares the rules of proactive VIPs that are read from switches with those that the switches
 * should have. For one thread at a time.
 */
public interface FoundProactiveRules {
  /** A switch is about to be read. */
  void begin(DatapathId switchId);

  /**
   * The switch was found to have a rule; false if it is to be removed.
   *
   * @param mayBeNew whether it may be from before the controller's start
   */
  boolean found(DatapathId switchId, OFFlowStatsEntry rule, boolean mayBeNew);

  /**
   * All rules of the switch have been read.
   *
   * @param settledNanos rules that were sent later may be missing
   */
  void complete(DatapathId switchId, long settledNanos);
}
