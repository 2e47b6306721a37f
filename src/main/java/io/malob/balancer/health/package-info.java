/**
 * The health of members: monitors and their probes, outlier detection, ejection, and the guard
 * against spoofed servers.
 *
 * <p>May use: connection and below.
 */
package io.malob.balancer.health;
