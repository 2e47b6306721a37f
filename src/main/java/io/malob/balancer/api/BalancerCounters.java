package io.malob.balancer.api;

import java.util.Map;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * How full the balancer is, and what did not get through to switches since the controller started.
 *
 * @param openConnections connections that have rules, or are about to get some
 * @param dormantConnections connections that are remembered after their rules have ended
 * @param unsentBatches groups of messages that were not sent, because a switch was gone or did not
 *     read
 * @param rejectedRules by switch and reason, how many of our rules switches did not accept;
 *     switches that accepted all are left out
 */
public record BalancerCounters(
    int openConnections,
    int dormantConnections,
    long unsentBatches,
    Map<DatapathId, Map<String, Long>> rejectedRules) {}
