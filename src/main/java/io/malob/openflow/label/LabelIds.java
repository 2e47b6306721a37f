package io.malob.openflow.label;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The labels in use and the resting ones: packets with a removed label may still be in transit, so
 * it is not reused for a while. Thread-safe; takes no lock.
 */
final class LabelIds {
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final int maxId;

  /** Including resting labels. */
  private final Set<Integer> inUse = ConcurrentHashMap.newKeySet();

  /** The time since which each resting label rests. */
  private final Map<Integer, Long> resting = new ConcurrentHashMap<>();

  private final AtomicInteger lastId;

  /**
   * Labels that are all free.
   *
   * @param maxId there are ids from 1 to that
   * @param lastId the id before the first allocated one
   */
  LabelIds(int maxId, int lastId) {
    this.maxId = maxId;
    this.lastId = new AtomicInteger(lastId);
  }

  /** Allocates a label; empty if all are in use or resting. */
  Optional<Label> next() {
    while (inUse.size() < maxId) {
      int id = lastId.updateAndGet(before -> before % maxId + 1);
      if (inUse.add(id)) {
        return Optional.of(new Label(id));
      }
    }
    return Optional.empty();
  }

  /** The total number of labels. */
  int count() {
    return maxId;
  }

  /** Whether a label is in use, not resting. */
  boolean isInUse(int id) {
    return inUse.contains(id) && !resting.containsKey(id);
  }

  /** Takes a certain label; false if it is in use. */
  boolean reserve(int id) {
    return inUse.add(id);
  }

  /** Frees a label that no switch has ever had. */
  void giveBack(Label label) {
    inUse.remove(label.id());
  }

  /** Frees a label that packets may still carry. */
  void rest(Label label, long nowNanos) {
    resting.put(label.id(), nowNanos);
  }

  /** Frees the labels that have rested long enough. */
  void sweep(long nowNanos) {
    resting.forEach(
        (id, sinceNanos) -> {
          // in this order: a reallocated label must not count as resting
          if (nowNanos - sinceNanos >= REST_NANOS && resting.remove(id, sinceNanos)) {
            inUse.remove(id);
          }
        });
  }
}
