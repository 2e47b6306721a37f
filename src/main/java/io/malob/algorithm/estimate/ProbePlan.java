package io.malob.algorithm.estimate;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * When to send the next echo over a link, and of which size. Echoes use max {@link #SHARE} of the
 * certain min capacity of the link, in each direction, and max {@link #HASTY_SHARE} while its
 * capacity is unknown. There are few per second: more while the capacity is unknown, two while
 * there is no other traffic. They are sent at random times, so that they do not keep step with
 * other traffic.
 *
 * <p>Few different sizes in turn, the largest of which the link can afford seven times a second
 * while its capacity is unknown. Once it is known, sizes stay, so that earlier echoes still count.
 * The first one is large: how long it takes tells at once what the link carries at least. For one
 * thread.
 */
public final class ProbePlan {
  /** The part of the link's capacity for echoes. */
  static final double SHARE = 0.01;

  /** That part while the capacity is unknown: with twice as many bytes, it is known much sooner. */
  static final double HASTY_SHARE = 0.02;

  /** The assumed capacity of an unknown link, in bit/s. */
  static final double CAREFUL_BPS = 1e6;

  private static final double SECOND = 1e9;
  private static final double UNKNOWN_PER_SECOND = 80;
  private static final double ROUGH_PER_SECOND = 20;
  private static final double KNOWN_PER_SECOND = 8;
  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(450);
  private static final long URGENT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final int LARGEST_MILLIS = 140;
  private static final int ETHERNET_BYTES = 14;

  /** A multiple of how many sizes there are in turn: fewer are better known, three show a line. */
  private static final int TURNS = 12;

  private static final int SMALLEST_BYTES = 64;
  private static final int LARGEST_BYTES = 1_400;

  /** Sizes in turn, so that those next to each other differ much; from slow links to fast ones. */
  private static final ImmutableList<ImmutableIntArray> SIZES =
      ImmutableList.of(
          ImmutableIntArray.of(256, SMALLEST_BYTES, 160),
          ImmutableIntArray.of(512, SMALLEST_BYTES, 256),
          ImmutableIntArray.of(1_024, SMALLEST_BYTES, 512),
          ImmutableIntArray.of(LARGEST_BYTES, SMALLEST_BYTES, 720));

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

  /** The state of knowledge about the link. */
  public enum Need {
    /** Its capacity is not known. */
    UNKNOWN,
    /** Its capacity is known, but not well. */
    ROUGH,
    /** Its capacity is known, and may change. */
    KNOWN,
    /** It carries only echoes. */
    REST,
    /** It may be down. */
    DOUBT
  }

  /**
   * How large an echo to send now.
   *
   * @param certainBps the certain min capacity of the link in bit/s; 0 if unknown
   * @return bytes of its IP packet; 0 if it is not time
   */
  public int next(double certainBps, Need need, long nowNanos) {
    double bps = certainBps > 0 ? certainBps : CAREFUL_BPS;
    save((need == Need.UNKNOWN ? HASTY_SHARE : SHARE) * bps, nowNanos);
    if (need == Need.DOUBT) {
      return isFirst || nowNanos - lastNanos >= URGENT_NANOS ? sent(SMALLEST_BYTES, nowNanos) : 0;
    }
    int bytes = bytes(bps);
    boolean isTime = nowNanos - lastNanos >= pauseNanos(need);
    boolean isAffordable = isTime && savedBytes >= bytes + ETHERNET_BYTES;
    if (!isFirst && !isAffordable) {
      return 0;
    }
    turn = (turn + 1) % TURNS;
    return sent(bytes, nowNanos);
  }

  private double pauseNanos(Need need) {
    return switch (need) {
      case UNKNOWN -> pause * SECOND / UNKNOWN_PER_SECOND;
      case ROUGH -> pause * SECOND / ROUGH_PER_SECOND;
      case KNOWN -> pause * SECOND / KNOWN_PER_SECOND;
      case REST -> REST_NANOS;
      case DOUBT -> URGENT_NANOS;
    };
  }

  /** The max saved is the cost of the largest echo, and a little for a late tick. */
  private void save(double echoBps, long nowNanos) {
    if (isFirst && savedNanos == 0) {
      savedNanos = nowNanos;
    }
    double max = 2 * (LARGEST_BYTES + ETHERNET_BYTES);
    double earned = (nowNanos - savedNanos) / SECOND * echoBps / 8;
    savedBytes = Math.min(max, savedBytes + earned);
    savedNanos = nowNanos;
  }

  private int bytes(double bps) {
    if (isFirst) {
      return LARGEST_BYTES;
    }
    double affordable = HASTY_SHARE * bps / 8 * LARGEST_MILLIS / 1_000;
    ImmutableIntArray sizes = SIZES.get(0);
    for (ImmutableIntArray each : SIZES) {
      sizes = each.get(0) <= affordable ? each : sizes;
    }
    return sizes.get(turn % sizes.length());
  }

  private int sent(int bytes, long nowNanos) {
    savedBytes -= bytes + ETHERNET_BYTES;
    lastNanos = nowNanos;
    pause = 0.5 + random.getAsDouble();
    isFirst = false;
    return bytes;
  }
}
