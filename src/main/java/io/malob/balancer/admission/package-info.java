/**
 * The path of a packet: classify it, find or place its connection, activate it, tear it down, reset
 * or reject it; and the explanation of a placement.
 *
 * <p>May use: health and below.
 */
package io.malob.balancer.admission;
