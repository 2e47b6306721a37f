package io.malob.openflow.label;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The labels in use and the resting ones: packets with a removed label may still be in transit, so
 * it is not reused for a while. Thread-safe; takes no lock.
 */
final class LabelIds {
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Supplier<LabelRange> range;

  /** Including resting labels. */
  private final Set<Integer> inUse = ConcurrentHashMap.newKeySet();

  /** The time since which each resting label rests. */
  private final Map<Integer, Long> resting = new ConcurrentHashMap<>();

  /** How many labels of {@link #counted} are in {@link #inUse}. */
  private final AtomicInteger used = new AtomicInteger();

  /** The range that {@link #used} is about; it changes when the controller joins a cluster. */
  private volatile LabelRange counted;

  /** Where the next label is in the range, counted from its first one. */
  private final AtomicInteger next;

  /**
   * Labels that are all free.
   *
   * @param range from which ids are allocated, now
   * @param next where the first allocated one is in the range, at least 0
   */
  LabelIds(Supplier<LabelRange> range, int next) {
    this.range = range;
    this.counted = range.get();
    this.next = new AtomicInteger(next);
  }

  /** Allocates a label; empty if all are in use or resting. */
  Optional<Label> next() {
    LabelRange ids = current();
    for (int tries = ids.size(); tries > 0 && used.get() < ids.size(); tries--) {
      int offset = next.getAndUpdate(before -> (before % ids.size() + 1) % ids.size());
      int id = ids.first() + offset % ids.size();
      if (reserve(id)) {
        return Optional.of(new Label(id));
      }
    }
    return Optional.empty();
  }

  private LabelRange current() {
    LabelRange now = range.get();
    if (!now.equals(counted)) {
      count(now);
    }
    return now;
  }

  /** Counts anew, for another range. */
  private synchronized void count(LabelRange now) {
    if (!now.equals(counted)) {
      counted = now;
      used.set((int) inUse.stream().filter(now::contains).count());
    }
  }

  /** Takes a certain label; false if it is in use. */
  boolean reserve(int id) {
    boolean isNew = inUse.add(id);
    if (isNew && counted.contains(id)) {
      used.incrementAndGet();
    }
    return isNew;
  }

  private void remove(int id) {
    if (inUse.remove(id) && counted.contains(id)) {
      used.decrementAndGet();
    }
  }

  /** How many labels this controller can allocate. */
  int count() {
    return range.get().size();
  }

  /** Whether a label is in use, not resting. */
  boolean isInUse(int id) {
    return inUse.contains(id) && !resting.containsKey(id);
  }

  /** Frees a label that no switch has ever had. */
  void giveBack(Label label) {
    remove(label.id());
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
            remove(id);
          }
        });
  }
}
