package io.malob.balancer.proactive;

import io.malob.balancer.bucket.Bucket.Cause;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.projectfloodlight.openflow.types.DatapathId;

/** The moves of a VIP's buckets: how many, and the latest. For one thread at a time. */
final class Moves {
  private static final int MAX_SHOWN = 32;

  private final Deque<Recent> recent = new ArrayDeque<>();
  private long total;

  /**
   * Moves of buckets at one edge from one member to another, in one step.
   *
   * @param buckets how many
   */
  record Recent(DatapathId switchId, int from, int to, Cause cause, long atNanos, int buckets) {}

  void add(DatapathId switchId, int from, int to, Cause cause, long nowNanos) {
    total++;
    Recent last = recent.peekLast();
    int buckets = 1;
    if (last != null
        && last.atNanos == nowNanos
        && last.switchId.equals(switchId)
        && last.from == from
        && last.to == to) {
      recent.removeLast();
      buckets = last.buckets + 1;
    }
    recent.addLast(new Recent(switchId, from, to, cause, nowNanos, buckets));
    if (recent.size() > MAX_SHOWN) {
      recent.removeFirst();
    }
  }

  /** How many buckets have moved. */
  long total() {
    return total;
  }

  /** The latest moves, oldest first. */
  List<Recent> recent() {
    return List.copyOf(recent);
  }
}
