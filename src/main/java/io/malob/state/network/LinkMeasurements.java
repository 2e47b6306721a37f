package io.malob.state.network;

import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The latest of each kind of measurement of one direction of a link; null is unknown. Immutable.
 *
 * @param latencyNanos one-way latency
 * @param agentThroughputBps available TCP throughput, measured by an agent
 * @param unusedBps free capacity, from port statistics
 * @param useBps the traffic on the link
 */
public record LinkMeasurements(
    @Nullable Measurement latencyNanos,
    @Nullable Measurement agentThroughputBps,
    @Nullable Measurement unusedBps,
    @Nullable Measurement useBps) {

  /**
   * The resolution of latencies: about the part of a probe's time that neither control round trip
   * includes.
   */
  public static final long LATENCY_RESOLUTION_NANOS = 100_000;

  /** Nothing is known. */
  public static final LinkMeasurements UNKNOWN = new LinkMeasurements(null, null, null, null);

  /** With all values of the other, except those older than the values here. */
  LinkMeasurements updated(LinkMeasurements other) {
    return with(other, LinkMeasurements::later);
  }

  /** With the other's values where these are unknown. */
  LinkMeasurements orElse(LinkMeasurements other) {
    return with(other, (own, theirs) -> own == null ? theirs : own);
  }

  private LinkMeasurements with(
      LinkMeasurements other, BinaryOperator<@Nullable Measurement> chosen) {
    return new LinkMeasurements(
        chosen.apply(latencyNanos, other.latencyNanos),
        chosen.apply(agentThroughputBps, other.agentThroughputBps),
        chosen.apply(unusedBps, other.unusedBps),
        chosen.apply(useBps, other.useBps));
  }

  /** Without values from before a time. */
  LinkMeasurements since(long sinceNanos) {
    return new LinkMeasurements(
        since(latencyNanos, sinceNanos),
        since(agentThroughputBps, sinceNanos),
        since(unusedBps, sinceNanos),
        since(useBps, sinceNanos));
  }

  private static @Nullable Measurement since(@Nullable Measurement measured, long sinceNanos) {
    return measured == null || measured.atNanos() - sinceNanos < 0 ? null : measured;
  }

  /** Without expired values. */
  LinkMeasurements fresh(long nowNanos, TimesToLive times) {
    return new LinkMeasurements(
        fresh(latencyNanos, nowNanos, times.latencyNanos()),
        fresh(agentThroughputBps, nowNanos, times.agentThroughputNanos()),
        fresh(unusedBps, nowNanos, times.portStatisticsNanos()),
        fresh(useBps, nowNanos, times.portStatisticsNanos()));
  }

  /**
   * The available throughput for a new connection, in bit/s: an agent's measurement wins over the
   * free capacity from port statistics, because it covers the whole link.
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
