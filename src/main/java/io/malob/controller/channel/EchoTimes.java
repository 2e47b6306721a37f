package io.malob.controller.channel;

/**
 * The latest echo requests, by their transaction ids, and the round trip of the latest answered
 * one. Each is measured once; an answer that comes twice, or when its request counts as lost, is
 * recognised and not measured. Times are nanoseconds of any monotonic clock. Written by one thread;
 * {@link #roundTripNanos} may be read by any.
 */
final class EchoTimes {
  /** The number of requests that are kept. Answers to older ones are ignored. */
  private static final int REMEMBERED = 16;

  private final long lostAfterNanos;
  private final Echo[] echoes = new Echo[REMEMBERED];
  private int next;
  private volatile long roundTripNanos;

  private static final class Echo {
    final long xid;
    final long sentNanos;
    boolean answered;

    Echo(long xid, long sentNanos) {
      this.xid = xid;
      this.sentNanos = sentNanos;
    }
  }

  /** With requests that count as lost after that time. */
  EchoTimes(long lostAfterNanos) {
    this.lostAfterNanos = lostAfterNanos;
  }

  /** The latest round trip; 0 before the first. */
  long roundTripNanos() {
    return roundTripNanos;
  }

  /** Records a request that is sent now. */
  void sent(long xid, long nowNanos) {
    echoes[next] = new Echo(xid, nowNanos);
    next = (next + 1) % REMEMBERED;
  }

  /** Records an answer; returns whether it belongs to one of these requests. */
  boolean answered(long xid, long nowNanos) {
    for (Echo echo : echoes) {
      if (echo != null && echo.xid == xid) {
        long took = nowNanos - echo.sentNanos;
        if (!echo.answered && took <= lostAfterNanos) {
          roundTripNanos = took;
        }
        echo.answered = true;
        return true;
      }
    }
    return false;
  }
}
