package io.malob.controller.http;

import static java.util.concurrent.TimeUnit.SECONDS;

/**
 * The limits of the HTTP server.
 *
 * @param threads that handle requests which read, and as many for those which write
 * @param waiting further threads for requests that wait for switches
 * @param streams responses of unknown length at a time, each of which has a thread of its own
 * @param connections open ones of all clients
 * @param perAddress open ones of one address (IPv6: one /64)
 * @param onLoopback open ones of this machine
 * @param requestNanos how long a request may take to arrive, plus a second for each 16 KiB of it
 * @param idleNanos how long a connection without a request is kept
 * @param writeNanos how long a response may wait without progress of its client
 * @param heldBytes of all requests and responses; beyond, those whose clients let most bytes wait
 *     for longest are closed, and further bodies are refused
 */
public record HttpLimits(
    int threads,
    int waiting,
    int streams,
    int connections,
    int perAddress,
    int onLoopback,
    long requestNanos,
    long idleNanos,
    long writeNanos,
    long heldBytes) {
  private static final int STREAMS = 16;
  private static final long IDLE_SECONDS = 30;
  private static final long WRITE_SECONDS = 15;

  /** The part of the threads, and of the heap. */
  private static final int WAITING_PART = 4;

  private static final int HELD_PART = 16;

  /** Limits of which operators set some; programs on this machine share three quarters. */
  public static HttpLimits of(int threads, int connections, int perAddress, int requestSeconds) {
    return new HttpLimits(
        threads,
        Math.max(1, threads / WAITING_PART),
        STREAMS,
        connections,
        Math.min(perAddress, connections),
        Math.max(Math.min(perAddress, connections), connections * 3 / 4),
        SECONDS.toNanos(requestSeconds),
        SECONDS.toNanos(IDLE_SECONDS),
        SECONDS.toNanos(WRITE_SECONDS),
        Runtime.getRuntime().maxMemory() / HELD_PART);
  }
}
