package io.malob.balancer.api;

import java.util.Map;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The number of connections, and the messages and rules that failed since the controller started.
 *
 * @param openConnections connections whose rules are installed or being installed
 * @param dormantConnections connections whose rules have expired and whose state is kept
 * @param unsentBatches batches of messages that were not sent because a switch was disconnected or
 *     did not read
 * @param refusedRules the number of the balancer's rules that a switch rejected, by switch and
 *     reason; without switches that accepted all rules
 */
public record BalancerCounters(
    int openConnections,
    int dormantConnections,
    long unsentBatches,
    Map<DatapathId, Map<String, Long>> refusedRules) {}
