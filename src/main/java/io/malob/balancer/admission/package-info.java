/**
 * The packet path: classifies a packet, looks up its connection, decides what becomes of it, and
 * executes or explains the decision. Admits, activates, tears down, resets and rejects connections.
 *
 * <p>May use: health and below.
 */
package io.malob.balancer.admission;
