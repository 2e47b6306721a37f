package io.malob.algorithm.health;

import com.google.common.collect.ImmutableSet;
import java.util.Collection;
import java.util.function.Predicate;

/**
 * What a server's connections show of it, beside all checks: after some failures in a row it is out
 * for a while, and each time for longer. For each base time that it then stays in without being put
 * out again, one time is forgiven. Immutable. Times are on a monotonic clock.
 *
 * @param failures in a row, as long as it is in
 * @param firstFailureNanos when the first of them was
 * @param times how often it was put out lately
 * @param untilNanos when it is in again, or has been since
 * @param isOut whether it is out
 */
public record Ejection(
    int failures, long firstFailureNanos, int times, long untilNanos, boolean isOut) {

  /** Nothing is known against it. */
  public static final Ejection NONE = new Ejection(0, 0, 0, 0, false);

  /**
   * How it is judged.
   *
   * @param failures how many in a row put a server out, within the base time; 0 for never
   * @param baseNanos how long it is out the first time, above 0
   * @param maxNanos how long it is out at most
   */
  public record Policy(int failures, long baseNanos, long maxNanos) {
    private long nanosOut(int times) {
      return times > maxNanos / baseNanos ? maxNanos : times * baseNanos;
    }
  }

  /** After a failure. What fails while it is out was placed before. */
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

  /** After a connection that began then was answered. */
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
   * Of the members of a pool that could take connections, those that do not because they are out.
   * None, if that were more than half: then it is more likely that something else is wrong, and the
   * others would not bear it.
   */
  public static <T> ImmutableSet<T> heeded(Collection<T> members, Predicate<T> isOut) {
    ImmutableSet<T> out = members.stream().filter(isOut).collect(ImmutableSet.toImmutableSet());
    return 2 * out.size() > members.size() ? ImmutableSet.of() : out;
  }
}
