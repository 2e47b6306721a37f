package io.malob.endhost;

import java.util.concurrent.TimeUnit;

/**
 * Whether the router of an uplink is alive. It is alive when it answers, and dead after {@link
 * #SILENCE_NANOS} without an answer to at least {@link #MIN_ASKED} requests. While the uplink
 * carries traffic towards the host, its queue may delay answers, and the limit is {@link
 * #BUSY_SILENCE_NANOS}. It needs regular calls: after {@link #STANDSTILL_NANOS} without a call,
 * this program was paused, and answers may be waiting to be read; then only later requests count.
 * For one thread.
 */
final class Liveness {
  static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_250);
  static final long BUSY_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
  static final long STANDSTILL_NANOS = TimeUnit.MILLISECONDS.toNanos(600);
  static final int MIN_ASKED = 3;

  private static final long DOUBT_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  private boolean isThere;
  private boolean isBusy;
  private int asked;
  private long askedNanos;
  private long lookedNanos;

  /** It is asked. */
  void asked(long nowNanos) {
    if (asked == 0) {
      askedNanos = nowNanos;
    }
    asked++;
  }

  /** It has answered. */
  void heard() {
    isThere = true;
    asked = 0;
  }

  /** Whether the uplink has recently carried traffic towards the host. */
  void busy(boolean is) {
    isBusy = is;
  }

  /** Resets the state. */
  void clear() {
    isThere = false;
    asked = 0;
  }

  /** Whether it is alive. */
  boolean isThere(long nowNanos) {
    if (nowNanos - lookedNanos >= STANDSTILL_NANOS) {
      asked = 0;
    }
    lookedNanos = nowNanos;
    long max = isBusy ? BUSY_SILENCE_NANOS : SILENCE_NANOS;
    if (asked >= MIN_ASKED && nowNanos - askedNanos >= max) {
      isThere = false;
    }
    return isThere;
  }

  /** Whether its answer is overdue, so that it should be asked more often. */
  boolean isInDoubt(long nowNanos) {
    return asked > 0 && nowNanos - askedNanos >= DOUBT_NANOS;
  }
}
