package io.malob.openflow.label;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.estimate.ActiveCount;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The active connections of a label on one path, and the counts of that path's links. Counted by
 * any thread without a lock; moved to another path by one thread at a time.
 */
final class PathCounts {
  /** Instead of a count: the label has been rerouted. */
  private static final int MOVED = Integer.MIN_VALUE;

  private final ImmutableList<ActiveCount> links;
  private final AtomicInteger active = new AtomicInteger();

  PathCounts(ImmutableList<ActiveCount> links) {
    this.links = links;
  }

  int active() {
    int now = active.get();
    return now == MOVED ? 0 : now;
  }

  /** Counts connections on the links; false, without counting, if they have been moved. */
  boolean add(int change) {
    int before = active.get();
    while (before != MOVED && !active.compareAndSet(before, before + change)) {
      before = active.get();
    }
    if (before == MOVED) {
      return false;
    }
    addToLinks(change);
    return true;
  }

  /**
   * Moves the connections to another path, which counts further ones. Some may not be counted on
   * their links yet: then their thread adds them here after they were subtracted.
   */
  void moveTo(PathCounts other) {
    int moved = active.getAndSet(MOVED);
    other.add(moved);
    addToLinks(-moved);
  }

  private void addToLinks(int change) {
    for (int i = 0; i < links.size(); i++) {
      links.get(i).add(change);
    }
  }
}
