package io.malob.algorithm.estimate;

import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * When to send the next echo over a link, and of which size. Echoes take at most {@link #SHARE} of
 * what the link can carry as far as that is certain, in each direction, and at most so many a
 * second that the host does not notice: more of them while the capacity is not known. Four sizes in
 * turn, the largest of which the link can afford seven times a second; at random times, so that
 * they do not keep step with other traffic. For one thread.
 */
public final class ProbePlan {
  /** Which part of the link echoes may take. */
  static final double SHARE = 0.01;

  /** A link of which nothing is known is taken to carry that, in bit/s. */
  static final double CAREFUL_BPS = 1e6;

  private static final double SECOND = 1e9;
  private static final double UNKNOWN_PER_SECOND = 80;
  private static final double ROUGH_PER_SECOND = 20;
  private static final double KNOWN_PER_SECOND = 8;
  private static final long URGENT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final int LARGEST_MILLIS = 140;
  private static final int ETHERNET_BYTES = 14;
  private static final int SMALLEST_BYTES = 64;
  private static final int LARGEST_BYTES = 1_400;
  private static final int LEAST_LARGEST_BYTES = 256;

  /** One after the other, sizes differ much. */
  private static final int[] THIRDS = {3, 0, 2, 1};

  private final DoubleSupplier random;
  private double savedBytes;
  private long savedNanos;
  private long lastNanos;
  private double pause = 1;
  private int turn;
  private boolean isFirst = true;

  /** A plan whose pauses are drawn from there, evenly between 0 and 1. */
  public ProbePlan(DoubleSupplier random) {
    this.random = random;
  }

  /** What is known of the link. */
  public enum Need {
    /** Its capacity is not known. */
    UNKNOWN,
    /** Its capacity is known, but not well. */
    ROUGH,
    /** Its capacity is known, and may change. */
    KNOWN,
    /** Whether it carries anything at all is in doubt. */
    DOUBT
  }

  /**
   * How large an echo to send now.
   *
   * @param certainBps what the link can carry as far as that is certain, in bit/s; 0 if nothing is
   * @return bytes of its IP packet; 0 if it is not time
   */
  public int next(double certainBps, Need need, long nowNanos) {
    double bps = certainBps > 0 ? certainBps : CAREFUL_BPS;
    save(bps, nowNanos);
    if (need == Need.DOUBT) {
      return isFirst || nowNanos - lastNanos >= URGENT_NANOS ? sent(SMALLEST_BYTES, nowNanos) : 0;
    }
    int bytes = bytes(bps);
    boolean isTime = isFirst || nowNanos - lastNanos >= pause * SECOND / perSecond(need);
    if (!isTime || savedBytes < bytes + ETHERNET_BYTES) {
      return 0;
    }
    turn = (turn + 1) % THIRDS.length;
    return sent(bytes, nowNanos);
  }

  private static double perSecond(Need need) {
    return switch (need) {
      case UNKNOWN -> UNKNOWN_PER_SECOND;
      case ROUGH -> ROUGH_PER_SECOND;
      case KNOWN, DOUBT -> KNOWN_PER_SECOND;
    };
  }

  /** Saved is at most what the largest costs, and a little for the tick that comes late. */
  private void save(double bps, long nowNanos) {
    if (isFirst && savedNanos == 0) {
      savedNanos = nowNanos;
    }
    double most = 2 * (LARGEST_BYTES + ETHERNET_BYTES);
    double earned = (nowNanos - savedNanos) / SECOND * SHARE * bps / 8;
    savedBytes = Math.min(most, savedBytes + earned);
    savedNanos = nowNanos;
  }

  private int bytes(double bps) {
    double affordable = SHARE * bps / 8 * LARGEST_MILLIS / 1_000;
    int largest = (int) Math.max(LEAST_LARGEST_BYTES, Math.min(LARGEST_BYTES, affordable));
    // few different ones, so that there are many of each
    int rounded = largest == LARGEST_BYTES ? largest : Integer.highestOneBit(largest);
    return SMALLEST_BYTES + (rounded - SMALLEST_BYTES) * THIRDS[turn] / 3;
  }

  private int sent(int bytes, long nowNanos) {
    savedBytes -= bytes + ETHERNET_BYTES;
    lastNanos = nowNanos;
    pause = 0.5 + random.getAsDouble();
    isFirst = false;
    return bytes;
  }
}
