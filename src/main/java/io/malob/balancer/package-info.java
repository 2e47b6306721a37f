/**
 * The load balancer as a Floodlight module: settings, wiring, dispatch of messages, and the
 * schedule of housekeeping.
 *
 * <p>May use: all packages below.
 */
package io.malob.balancer;
