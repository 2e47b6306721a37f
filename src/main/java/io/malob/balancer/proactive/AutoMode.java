package io.malob.balancer.proactive;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides when an automatic VIP is proactive: from a rate of new connections or a number of
 * half-open connections on, until it has been calm for a while. For one thread at a time.
 */
final class AutoMode {
  private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Thresholds thresholds;
  private boolean isProactive;
  private long sampledAtNanos;
  private long arrivalsBefore;
  private double arrivalRate;
  private long busyAtNanos;

  /**
   * When VIPs change.
   *
   * @param perSecond the rate of new connections at which a VIP becomes proactive; below half of
   *     it, the VIP is calm
   * @param halfOpen the number of half-open connections at which it becomes proactive
   * @param calmSeconds for how long it must be calm to become reactive
   */
  record Thresholds(int perSecond, int halfOpen, int calmSeconds) {}

  AutoMode(Thresholds thresholds, long arrivals, long nowNanos) {
    this.thresholds = thresholds;
    this.arrivalsBefore = arrivals;
    this.sampledAtNanos = nowNanos;
    this.busyAtNanos = nowNanos;
  }

  /**
   * Whether the VIP is to be proactive now.
   *
   * @param arrivals how many connections were new at the controller, since its start
   * @param atBucketsPerSecond new connections per second that clients attempt at buckets
   * @param perSecond the rate of new connections at which this VIP becomes proactive; null for that
   *     of all
   */
  boolean decide(
      long arrivals,
      double atBucketsPerSecond,
      int halfOpen,
      @Nullable Integer perSecond,
      long nowNanos) {
    int busyPerSecond = perSecond == null ? thresholds.perSecond : perSecond;
    if (nowNanos - sampledAtNanos >= SAMPLE_NANOS) {
      arrivalRate = (arrivals - arrivalsBefore) * 1e9 / (nowNanos - sampledAtNanos);
      arrivalsBefore = arrivals;
      sampledAtNanos = nowNanos;
    }
    double rate = arrivalRate + atBucketsPerSecond;
    boolean isBusy = rate >= busyPerSecond || halfOpen >= thresholds.halfOpen;
    boolean isCalm = rate < busyPerSecond / 2.0 && halfOpen < thresholds.halfOpen / 2;
    if (isBusy) {
      isProactive = true;
    }
    if (!isCalm) {
      busyAtNanos = nowNanos;
    }
    if (nowNanos - busyAtNanos >= TimeUnit.SECONDS.toNanos(thresholds.calmSeconds)) {
      isProactive = false;
    }
    return isProactive;
  }

  /** The switches were found to be proactive after a restart. */
  void recovered(long nowNanos) {
    isProactive = true;
    busyAtNanos = nowNanos;
  }

  boolean isProactive() {
    return isProactive;
  }
}
