/**
 * The packet path: classifies a packet, finds or places its connection, and activates, tears down,
 * resets or rejects connections. Explains placements.
 *
 * <p>May use: health and below.
 */
package io.malob.balancer.admission;
