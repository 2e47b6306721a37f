/**
 * What other modules see of the balancer: its service, statistics and connection pages, and the
 * counters of rejects, placements and packet-ins that these come from.
 *
 * <p>May use: state, algorithm.
 */
package io.malob.balancer.api;
