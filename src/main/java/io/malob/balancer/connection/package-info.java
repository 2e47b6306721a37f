/**
 * The connection, its table and its attributes: limits, affinity, half-open limit, routes, rules on
 * switches, records, FTP expectations, service profiles.
 *
 * <p>May use: api, view.
 */
package io.malob.balancer.connection;
