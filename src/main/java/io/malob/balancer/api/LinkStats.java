package io.malob.balancer.api;

import io.malob.algorithm.graph.DirectedLink;

/**
 * A link between two switches, in one direction.
 *
 * @param link its two ends
 * @param active the number of connections on it that have not ended
 */
public record LinkStats(DirectedLink link, int active) {}
