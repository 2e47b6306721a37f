package io.malob.controller.channel;

/**
 * Limits and times of the OpenFlow channel.
 *
 * @param echoIntervalMillis between two echo requests; a switch that is silent for three of these
 *     intervals is dead
 * @param handshakeTimeoutMillis how long a switch may take for each step of its handshake
 * @param requestTimeoutMillis how long a request waits for its answer
 * @param maxPendingRequests max pending requests to one switch
 * @param unreadTimeoutMillis how long a switch may read nothing although it sends; counted in whole
 *     echo intervals, at least one
 */
public record ChannelSettings(
    int echoIntervalMillis,
    int handshakeTimeoutMillis,
    int requestTimeoutMillis,
    int maxPendingRequests,
    int unreadTimeoutMillis) {}
