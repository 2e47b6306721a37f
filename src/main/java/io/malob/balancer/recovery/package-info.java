/**
 * Keeps controller and switches consistent: prepares a switch, reads its tables, recovers
 * connections from its rules, and reconciles both periodically.
 *
 * <p>May use: admission and below.
 */
package io.malob.balancer.recovery;
