/**
 * The immutable view that a placement reads, and its single writer: pools as placers see them,
 * network values, slow start and server locations.
 *
 * <p>May use: api.
 */
package io.malob.balancer.view;
