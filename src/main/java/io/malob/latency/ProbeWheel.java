package io.malob.latency;

import com.google.common.math.IntMath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * A timing wheel: each entry has one or a few turns per revolution, spread evenly. Turns of entries
 * that belong together, such as the probes of one switch that are too many to send at once, are far
 * apart. Adjacent entries of the list, such as neighbouring switches, have their turns at about the
 * same time: they answer each other's probes, and answers that arrive together are read together.
 * The cost is that of the due entries. For one thread.
 */
final class ProbeWheel<T> {
  /** The max backlog after a stall, so that no burst follows. */
  private static final int MAX_SLOTS_AT_ONCE = 4;

  private static final double GOLDEN_SECTION = 0.618;

  private final long slotNanos;
  private final List<List<T>> slots = new ArrayList<>();
  private long nextSlot = Long.MIN_VALUE;

  /** A wheel with the given time per revolution, in steps of about the second argument. */
  ProbeWheel(long turnNanos, long aboutSlotNanos) {
    int count = (int) Math.max(1, turnNanos / aboutSlotNanos);
    slotNanos = turnNanos / count;
    slots.addAll(Collections.nCopies(count, List.of()));
  }

  /** Close to the golden ratio, and coprime: so it visits all slots. */
  private static int stride(int count) {
    int stride = (int) Math.max(1, Math.round(count * GOLDEN_SECTION));
    while (IntMath.gcd(stride, count) != 1) {
      stride++;
    }
    return stride;
  }

  /**
   * Replaces all entries; each has the given number of turns, but max one per slot, at regular
   * distances.
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

  /** Returns all entries that have become due since the last call. */
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
