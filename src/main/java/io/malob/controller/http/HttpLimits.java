package io.malob.controller.http;

import static java.util.concurrent.TimeUnit.SECONDS;

/**
 * The limits of the HTTP server.
 *
 * @param threads that handle requests
 * @param streams responses of unknown length at a time, each of which has a thread of its own
 * @param connections open ones of all clients
 * @param perAddress open ones of one address (IPv6: one /64)
 * @param onLoopback open ones of this machine
 * @param requestNanos how long a request may take to arrive, plus a second for each 16 KiB of it
 * @param idleNanos how long a connection without a request is kept
 * @param writeNanos how long a response may wait without progress of its client
 * @param bodyBytes of a request
 * @param heldBytes of all incomplete requests and responses; beyond, those that hold most for
 *     longest are closed
 */
public record HttpLimits(
    int threads,
    int streams,
    int connections,
    int perAddress,
    int onLoopback,
    long requestNanos,
    long idleNanos,
    long writeNanos,
    int bodyBytes,
    long heldBytes) {
  private static final int STREAMS = 16;
  private static final long IDLE_SECONDS = 30;
  private static final long WRITE_SECONDS = 15;

  /** The max body of a resource, plus the part of a larger one that is discarded. */
  private static final int BODY_BYTES = 17 * 1024 * 1024;

  private static final long MIN_HELD_BYTES = 32L * 1024 * 1024;

  /** Limits of which operators set some; programs on this machine share three quarters. */
  public static HttpLimits of(int threads, int connections, int perAddress, int requestSeconds) {
    return new HttpLimits(
        threads,
        STREAMS,
        connections,
        Math.min(perAddress, connections),
        Math.max(Math.min(perAddress, connections), connections * 3 / 4),
        SECONDS.toNanos(requestSeconds),
        SECONDS.toNanos(IDLE_SECONDS),
        SECONDS.toNanos(WRITE_SECONDS),
        BODY_BYTES,
        Math.max(MIN_HELD_BYTES, Runtime.getRuntime().maxMemory() / 16));
  }
}
