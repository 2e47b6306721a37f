/**
 * The balancer's interface to other modules: its service, statistics and connection pages, and the
 * underlying counters of rejects, placements and packet-ins.
 *
 * <p>May use: state, algorithm.
 */
package io.malob.balancer.api;
