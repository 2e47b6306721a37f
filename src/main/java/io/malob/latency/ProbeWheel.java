package io.malob.latency;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Whose turn it is: everything has its turn once in a while, or a few times, spread evenly over it.
 * What belongs together, such as the probes of one switch that are too many to leave at once, has
 * its turns far apart. What stands side by side in the list, such as neighbouring switches, has its
 * turns at about the same time: they answer each other's probes, and what arrives together is read
 * together. The cost is that of those whose turn it is. For one thread.
 */
final class ProbeWheel<T> {
  /** After a stall no more is made up for, so that no burst follows. */
  private static final int MAX_SLOTS_AT_ONCE = 4;

  private static final double GOLDEN_SECTION = 0.618;

  private final long slotNanos;
  private final List<List<T>> slots = new ArrayList<>();
  private long nextSlot = Long.MIN_VALUE;

  /** A wheel that turns once in so many nanoseconds, in steps of about the second. */
  ProbeWheel(long turnNanos, long aboutSlotNanos) {
    int count = (int) Math.max(1, turnNanos / aboutSlotNanos);
    slotNanos = turnNanos / count;
    for (int slot = 0; slot < count; slot++) {
      slots.add(List.of());
    }
  }

  /** Nearest to the golden section, and without a common divisor: so it visits all slots. */
  private static int stride(int count) {
    int stride = (int) Math.max(1, Math.round(count * GOLDEN_SECTION));
    while (gcd(stride, count) != 1) {
      stride++;
    }
    return stride;
  }

  private static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /**
   * Takes these in the place of all others; each has so many turns now, but not more than there are
   * slots, at regular distances.
   *
   * @param all those in the same list belong together
   */
  void set(List<List<T>> all, int turnsWanted) {
    int count = slots.size();
    int turns = Math.min(turnsWanted, count);
    int section = count / turns;
    int stride = stride(section);
    List<List<T>> filled = new ArrayList<>();
    slots.forEach(any -> filled.add(new ArrayList<>()));
    for (int i = 0; i < all.size(); i++) {
      long inSection = (long) i * section / all.size();
      for (T each : all.get(i)) {
        for (int turn = 0; turn < turns; turn++) {
          filled.get((int) inSection + turn * count / turns).add(each);
        }
        inSection = (inSection + stride) % section;
      }
    }
    for (int slot = 0; slot < filled.size(); slot++) {
      slots.set(slot, List.copyOf(filled.get(slot)));
    }
  }

  /** Hands out all whose turn has come since the last call. */
  void due(long nowNanos, Consumer<T> taker) {
    long slot = Math.floorDiv(nowNanos, slotNanos);
    long first = Math.max(nextSlot, slot - MAX_SLOTS_AT_ONCE + 1);
    if (nextSlot == Long.MIN_VALUE) {
      first = slot;
    }
    for (long now = first; now <= slot; now++) {
      slots.get((int) Math.floorMod(now, (long) slots.size())).forEach(taker);
    }
    nextSlot = slot + 1;
  }
}
