/**
 * Connections that leave their path: long flows that move to a wider one, and the labels that are
 * prepared for paths to come.
 *
 * <p>May use: connection and below.
 */
package io.malob.balancer.reroute;
