/**
 * The replica of connections and labels that each controller of a cluster has: what the owner of
 * connections sends, and what the others make of it.
 *
 * <p>May use: recovery, admission, connection, view and api.
 */
package io.malob.balancer.replica;
