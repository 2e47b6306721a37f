/**
 * Rerouting: moves long flows to wider paths, and prepares the labels of paths before connections
 * need them.
 *
 * <p>May use: connection and below.
 */
package io.malob.balancer.reroute;
