package io.malob.openflow.label;

import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Which labels are in use, and which rest: packets with a label that is no more may still be under
 * way, so it is not given out for a while. Thread-safe.
 */
final class LabelIds {
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final int maxId;

  /** With those that rest. */
  private final Set<Integer> inUse = new HashSet<>();

  /** Since when each label rests that does, the earliest first. */
  private final Map<Integer, Long> resting = new LinkedHashMap<>();

  private int lastId;

  /**
   * Labels that are all free.
   *
   * @param maxId there are ids from 1 to that
   * @param lastId the id before the first one that is given out
   */
  LabelIds(int maxId, int lastId) {
    this.maxId = maxId;
    this.lastId = lastId;
  }

  /** Gives out a label; empty if all are in use, or rest. */
  synchronized Optional<Label> next() {
    while (inUse.size() < maxId) {
      lastId = lastId % maxId + 1;
      if (inUse.add(lastId)) {
        return Optional.of(new Label(lastId));
      }
    }
    return Optional.empty();
  }

  /** How many there are in all. */
  int count() {
    return maxId;
  }

  /** Whether a label is in use, and does not just rest. */
  synchronized boolean isInUse(int id) {
    return inUse.contains(id) && !resting.containsKey(id);
  }

  /** Takes a certain label; false if it is in use. */
  synchronized boolean reserve(int id) {
    return inUse.add(id);
  }

  /** Takes back a label that no switch has ever had. */
  synchronized void giveBack(Label label) {
    inUse.remove(label.id());
  }

  /** Takes back a label that packets may still carry. */
  synchronized void rest(Label label, long nowNanos) {
    resting.put(label.id(), nowNanos);
  }

  /** Those that have rested are free again. */
  synchronized void sweep(long nowNanos) {
    Iterator<Map.Entry<Integer, Long>> earliest = resting.entrySet().iterator();
    while (earliest.hasNext()) {
      Map.Entry<Integer, Long> label = earliest.next();
      if (nowNanos - label.getValue() < REST_NANOS) {
        return;
      }
      inUse.remove(label.getKey());
      earliest.remove();
    }
  }
}
