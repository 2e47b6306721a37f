package io.malob.balancer.proactive;

import java.util.Set;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * What an edge may do in one step.
 *
 * @param hasRoom whether thousands of rules may change
 * @param isReady whether the members' sides are ready
 * @param full the switches of the edge and its members whose tables are full
 */
record EdgeReadiness(boolean hasRoom, boolean isReady, Set<DatapathId> full) {}
