package io.malob.balancer.api;

import io.malob.algorithm.graph.DirectedLink;

/**
 * A link between two switches, in one direction.
 *
 * @param link its two ends
 * @param active how many connections that have not ended yet go over it
 */
public record LinkStats(DirectedLink link, int active) {}
