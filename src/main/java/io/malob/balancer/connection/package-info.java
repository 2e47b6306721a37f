/**
 * The connection and its table, with what belongs to one: limits, affinity, the half-open limit,
 * routes, rules on switches, records, FTP expectations, service profiles.
 *
 * <p>May use: api, view.
 */
package io.malob.balancer.connection;
