package io.malob.controller.channel;

/**
 * Limits and times of the OpenFlow channel.
 *
 * @param echoIntervalMillis between two echo requests; a switch that says nothing for three of
 *     these intervals is dead
 * @param handshakeTimeoutMillis how long a switch may take for each step of its handshake
 * @param requestTimeoutMillis how long a request waits for its answer
 * @param maxPendingRequests how many requests to one switch may wait at a time
 * @param unreadTimeoutMillis how long a switch may read nothing although it sends; counted in whole
 *     echo intervals, at least one
 */
public record ChannelSettings(
    int echoIntervalMillis,
    int handshakeTimeoutMillis,
    int requestTimeoutMillis,
    int maxPendingRequests,
    int unreadTimeoutMillis) {

  /** What is used where nothing else is said. */
  public static final ChannelSettings DEFAULT =
      new ChannelSettings(5_000, 10_000, 10_000, 10_000, 30_000);
}
