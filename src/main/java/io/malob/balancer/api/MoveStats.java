package io.malob.balancer.api;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Counts of long flows, which carry much traffic for a long time, since the controller's start. A
 * connection consists of two flows, one in each direction.
 *
 * @param longFlows the number of long flows at the latest poll
 * @param seen the number of all long flows so far
 * @param moved how often a flow was rerouted
 * @param failed how often a rerouting failed, because the path could not be installed or the
 *     connection ended before
 * @param leftOut the number of switches that the latest poll skipped because they had too many
 *     connections
 */
public record MoveStats(
    @JsonProperty("elephants") int longFlows,
    @JsonProperty("elephants_seen") long seen,
    long moved,
    long failed,
    @JsonProperty("switches_left_out") int leftOut) {}
