package io.malob.balancer.api;

/**
 * Flows that carry much for long, and what has become of them since the controller's start. A
 * connection is two flows, one in each direction.
 *
 * @param longFlows how many there were when it was last looked
 * @param seen how many there ever were
 * @param moved how often one was led over another path
 * @param failed how often that was begun and came to nothing, because the path could not be
 *     installed or the connection was over sooner
 * @param leftOut how many switches had too many connections to be asked when it was last looked
 */
public record MoveStats(int longFlows, long seen, long moved, long failed, int leftOut) {}
