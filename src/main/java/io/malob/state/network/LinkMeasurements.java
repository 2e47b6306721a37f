package io.malob.state.network;

import org.jspecify.annotations.Nullable;

/**
 * The latest of each kind of measurement of one direction of a link; null is unknown. Immutable.
 *
 * @param latencyNanos one-way latency
 * @param agentThroughputBps TCP throughput that was to be had when an agent tried
 * @param unusedBps capacity less use, from port statistics
 * @param useBps what the link carries
 */
public record LinkMeasurements(
    @Nullable Measurement latencyNanos,
    @Nullable Measurement agentThroughputBps,
    @Nullable Measurement unusedBps,
    @Nullable Measurement useBps) {

  /**
   * Latencies below that are not told apart: what probes share with neither control round trip is
   * about as much.
   */
  public static final long LATENCY_RESOLUTION_NANOS = 100_000;

  /** Nothing is known. */
  public static final LinkMeasurements UNKNOWN = new LinkMeasurements(null, null, null, null);

  /** With each value that the other has, unless it is older than the one here. */
  LinkMeasurements updated(LinkMeasurements other) {
    return new LinkMeasurements(
        later(latencyNanos, other.latencyNanos),
        later(agentThroughputBps, other.agentThroughputBps),
        later(unusedBps, other.unusedBps),
        later(useBps, other.useBps));
  }

  /** Without what is older than its time to live. */
  LinkMeasurements fresh(long nowNanos, TimesToLive times) {
    return new LinkMeasurements(
        fresh(latencyNanos, nowNanos, times.latencyNanos()),
        fresh(agentThroughputBps, nowNanos, times.agentThroughputNanos()),
        fresh(unusedBps, nowNanos, times.portStatisticsNanos()),
        fresh(useBps, nowNanos, times.portStatisticsNanos()));
  }

  /**
   * What a new connection could get, in bit/s: an agent's measurement wins over what the port
   * statistics leave, since it has seen the whole link.
   */
  public @Nullable Measurement throughputBps() {
    return agentThroughputBps != null ? agentThroughputBps : unusedBps;
  }

  private static @Nullable Measurement later(@Nullable Measurement a, @Nullable Measurement b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return b.atNanos() - a.atNanos() >= 0 ? b : a;
  }

  private static @Nullable Measurement fresh(
      @Nullable Measurement measured, long nowNanos, long timeToLiveNanos) {
    return measured == null || measured.ageNanos(nowNanos) > timeToLiveNanos ? null : measured;
  }
}
