package io.malob.algorithm.estimate;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long a server has taken for a service's connections lately: the newest few that have ended,
 * each with the number in flight when it was placed. They count however old they are: a busy server
 * replaces them within a second, and an idle one has nothing better. Thread-safe without locks;
 * threads that add at the same time may overwrite each other's measurement.
 */
public final class ResponseTimes {
  /** How many measurements are kept: more follow a change later, fewer are noisier. */
  public static final int KEPT = 8;

  /** A response time, as a float, below the number in flight. */
  private final AtomicLongArray newest = new AtomicLongArray(KEPT);

  private final AtomicInteger added = new AtomicInteger();

  /**
   * The newest measurements.
   *
   * @param nanos sum of the response times
   * @param inFlight sum of the numbers in flight, the measured connections included
   * @param count how many there are, up to {@link #KEPT}
   */
  public record Newest(double nanos, double inFlight, int count) {}

  /** Of a server without measurements. */
  static final Newest NONE = new Newest(0, 0, 0);

  /**
   * Adds a connection that has ended.
   *
   * @param inFlight how many others the server had when this one was placed
   * @param nanos its duration without the network's part; not negative
   */
  public void add(long inFlight, double nanos) {
    long others = Math.max(0, Math.min(Integer.MAX_VALUE, inFlight));
    long measurement = others << Integer.SIZE | Float.floatToIntBits((float) nanos);
    newest.set(Math.floorMod(added.getAndIncrement(), KEPT), measurement);
  }

  /** The newest measurements, all at one moment but for those that are being added. */
  public Newest newest() {
    int ever = added.get();
    int count = ever < 0 ? KEPT : Math.min(KEPT, ever); // the counter wraps around
    double nanos = 0;
    double inFlight = 0;
    for (int i = 0; i < count; i++) {
      long measurement = newest.get(i);
      nanos += Float.intBitsToFloat((int) measurement);
      inFlight += (measurement >>> Integer.SIZE) + 1;
    }
    return new Newest(nanos, inFlight, count);
  }
}
