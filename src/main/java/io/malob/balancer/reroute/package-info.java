/**
 * Rerouting: moves long flows to wider paths, prepares the labels of paths before connections need
 * them, and changes rules that name ports at a bounded rate.
 *
 * <p>May use: connection and below.
 */
package io.malob.balancer.reroute;
