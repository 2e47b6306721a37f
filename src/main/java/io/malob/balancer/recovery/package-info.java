/**
 * Agreement with the switches: prepare a switch, read its tables, recover connections from its
 * rules, and reconcile both from time to time.
 *
 * <p>May use: admission and below.
 */
package io.malob.balancer.recovery;
