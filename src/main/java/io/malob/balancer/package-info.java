/**
 * The load balancer as a Floodlight module. Assemblies construct and schedule its parts, each from
 * the context and the assemblies before it; events of the controller are dispatched to them.
 *
 * <p>May use: all packages below.
 */
package io.malob.balancer;
