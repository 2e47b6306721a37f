package io.malob.openflow.label;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Which labels are in use, and which rest: packets with a label that is no more may still be under
 * way, so it is not given out for a while. Thread-safe; takes no lock.
 */
final class LabelIds {
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final int maxId;

  /** With those that rest. */
  private final Set<Integer> inUse = ConcurrentHashMap.newKeySet();

  /** Since when each label rests that does. */
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

  /** Gives out a label; empty if all are in use, or rest. */
  Optional<Label> next() {
    while (inUse.size() < maxId) {
      int id = lastId.updateAndGet(before -> before % maxId + 1);
      if (inUse.add(id)) {
        return Optional.of(new Label(id));
      }
    }
    return Optional.empty();
  }

  /** How many there are in all. */
  int count() {
    return maxId;
  }

  /** Whether a label is in use, and does not just rest. */
  boolean isInUse(int id) {
    return inUse.contains(id) && !resting.containsKey(id);
  }

  /** Takes a certain label; false if it is in use. */
  boolean reserve(int id) {
    return inUse.add(id);
  }

  /** Takes back a label that no switch has ever had. */
  void giveBack(Label label) {
    inUse.remove(label.id());
  }

  /** Takes back a label that packets may still carry. */
  void rest(Label label, long nowNanos) {
    resting.put(label.id(), nowNanos);
  }

  /** Those that have rested are free again. */
  void sweep(long nowNanos) {
    resting.forEach(
        (id, sinceNanos) -> {
          // in this order: a label that is given out again must not seem to rest
          if (nowNanos - sinceNanos >= REST_NANOS && resting.remove(id, sinceNanos)) {
            inUse.remove(id);
          }
        });
  }
}
