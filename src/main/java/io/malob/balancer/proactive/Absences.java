package io.malob.balancer.proactive;

import io.malob.balancer.proactive.BucketInput.Standing;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The members of buckets that are not there: not located, or without a path from the edge. Their
 * buckets stay for a while. For one thread at a time.
 */
final class Absences {
  /** How long a member may be absent before its buckets move. */
  private static final long ABSENT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The same after a restart of the controller, which then has to find members first. */
  private static final long RESTART_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Map<Integer, Long> since = new HashMap<>();

  /** Whether the edge's buckets are those of an earlier run. */
  private boolean isRecovered;

  /** Since when the edge is in its state. */
  private long stateSinceNanos;

  /** The edge has entered a state. */
  void stateChanged(long nowNanos) {
    stateSinceNanos = nowNanos;
  }

  /** The controller has been restarted, and has to find members first. */
  void recovered() {
    isRecovered = true;
  }

  /** Whether the controller was restarted so short ago that it may not have found all members. */
  boolean isSoonAfterRestart(BucketInput now) {
    return isRecovered && now.nowNanos() - stateSinceNanos < RESTART_NANOS;
  }

  /** Notes whether a member is there; true if it has just become absent. */
  boolean note(int memberNumber, boolean isThere, long nowNanos) {
    if (isThere) {
      since.remove(memberNumber);
      return false;
    }
    return since.putIfAbsent(memberNumber, nowNanos) == null;
  }

  /** Forgets all members but these. */
  void retain(Set<Integer> memberNumbers) {
    since.keySet().retainAll(memberNumbers);
  }

  /** Whether the buckets of a member move at once: it is dead, or absent for too long. */
  boolean isLost(BucketInput now, int memberNumber) {
    if (now.standing(memberNumber) == Standing.DEAD) {
      return true;
    }
    @Nullable Long absent = since.get(memberNumber);
    long patience = isSoonAfterRestart(now) ? RESTART_NANOS : ABSENT_NANOS;
    return absent != null && now.nowNanos() - absent >= patience;
  }

  /** The times at which the patience with a member may end. */
  LongStream ends() {
    return since.values().stream()
        .flatMapToLong(
            absent ->
                LongStream.of(
                    absent + ABSENT_NANOS, Math.max(absent, stateSinceNanos) + RESTART_NANOS));
  }
}
