package io.malob.algorithm.health;

import com.google.common.collect.ImmutableSet;
import java.util.Collection;
import java.util.function.Predicate;

/**
 * The state of outlier detection for one server, besides its health checks: after some failures in
 * a row it is ejected for a while, each time for longer. For each base time without a new ejection,
 * one earlier ejection no longer counts. Immutable. Times are on a monotonic clock.
 *
 * @param failures in a row, as long as it is in
 * @param firstFailureNanos when the first of them was
 * @param times how often it was ejected lately
 * @param untilNanos the end of the last ejection
 * @param isOut whether it is ejected
 */
public record Ejection(
    int failures, long firstFailureNanos, int times, long untilNanos, boolean isOut) {

  /** No failures. */
  public static final Ejection NONE = new Ejection(0, 0, 0, 0, false);

  /**
   * The parameters.
   *
   * @param failures how many in a row eject a server, within the base time; 0 for never
   * @param baseNanos the length of a first ejection, above 0
   * @param maxNanos the max length
   */
  public record Policy(int failures, long baseNanos, long maxNanos) {
    private long nanosOut(int times) {
      return times > maxNanos / baseNanos ? maxNanos : times * baseNanos;
    }
  }

  /** After a failure. Failures during an ejection belong to connections placed before. */
  public Ejection failed(long nowNanos, Policy policy) {
    if (isOut || policy.failures == 0) {
      return this;
    }
    boolean goesOn = failures > 0 && nowNanos - firstFailureNanos <= policy.baseNanos;
    int inARow = goesOn ? failures + 1 : 1;
    if (inARow < policy.failures) {
      return new Ejection(inARow, goesOn ? firstFailureNanos : nowNanos, times, untilNanos, false);
    }
    int more = forgiven(nowNanos, policy).times + 1;
    return new Ejection(0, 0, more, nowNanos + policy.nanosOut(more), true);
  }

  /** After an answer to a connection that began at the given time. */
  public Ejection answered(long beganNanos) {
    return failures > 0 && beganNanos - firstFailureNanos >= 0
        ? new Ejection(0, 0, times, untilNanos, isOut)
        : this;
  }

  /** After time has passed. */
  public Ejection at(long nowNanos, Policy policy) {
    if (isOut) {
      return nowNanos - untilNanos >= 0 ? new Ejection(0, 0, times, untilNanos, false) : this;
    }
    boolean isOld = failures > 0 && nowNanos - firstFailureNanos > policy.baseNanos;
    Ejection now = isOld ? new Ejection(0, 0, times, untilNanos, false) : this;
    return now.failures == 0 && now.forgiven(nowNanos, policy).times == 0 ? NONE : now;
  }

  private Ejection forgiven(long nowNanos, Policy policy) {
    long goodTimes = times == 0 ? 0 : Math.max(0, nowNanos - untilNanos) / policy.baseNanos;
    return new Ejection(
        failures, firstFailureNanos, (int) Math.max(0, times - goodTimes), untilNanos, isOut);
  }

  /**
   * The ejected ones of the members of a pool that could take connections. None if they are more
   * than half: then another cause is more likely, and the other members would be overloaded.
   */
  public static <T> ImmutableSet<T> heeded(Collection<T> members, Predicate<T> isOut) {
    ImmutableSet<T> out = members.stream().filter(isOut).collect(ImmutableSet.toImmutableSet());
    return 2 * out.size() > members.size() ? ImmutableSet.of() : out;
  }
}
