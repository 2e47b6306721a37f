/**
 * Proactive placement: rules in advance that let switches choose members. Decides which member each
 * bucket leads to, moves buckets without breaking connections, and keeps the rules on the switches.
 *
 * <p>May use: reroute and above.
 */
package io.malob.balancer.proactive;
