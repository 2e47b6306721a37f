package io.malob.endhost;

import java.util.concurrent.TimeUnit;

/**
 * Whether the router of an uplink is there, by whether it answers. It is when it answers, and is no
 * more when nothing has been heard for {@link #SILENCE_NANOS} although it was asked at least {@link
 * #MIN_ASKED} times. As long as the uplink carries something towards the host, its queue may hold
 * answers up, and that takes {@link #BUSY_SILENCE_NANOS}. It is to be looked at all the time: when
 * it was not for {@link #STANDSTILL_NANOS}, this program stood still, and answers may be waiting to
 * be read; then only what is asked from now on counts. For one thread.
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

  /** Whether the uplink has lately carried something towards the host. */
  void busy(boolean is) {
    isBusy = is;
  }

  /** Nothing is known any more. */
  void clear() {
    isThere = false;
    asked = 0;
  }

  /** Whether it is there. */
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

  /** Whether it owes an answer for so long that it should be asked more often. */
  boolean isInDoubt(long nowNanos) {
    return asked > 0 && nowNanos - askedNanos >= DOUBT_NANOS;
  }
}
