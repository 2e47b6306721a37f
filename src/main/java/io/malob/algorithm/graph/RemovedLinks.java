package io.malob.algorithm.graph;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The difference between a topology and one with the same switches and fewer links: the new numbers
 * of the links that are left. Used by one thread.
 */
final class RemovedLinks {
  /** The number of a link that was removed. */
  static final int NONE = -1;

  private final Adjacency after;

  /** By old number. */
  private final int[] numbers;

  /** By new number. */
  private final int[] oldNumbers;

  /** The old numbers of the links that were removed. */
  private final int[] removed;

  private final IdentityHashMap<LinkCosts, LinkCosts> costs = new IdentityHashMap<>();
  private final IdentityHashMap<LinkWidths, LinkWidths> widths = new IdentityHashMap<>();

  private RemovedLinks(Adjacency after, int[] numbers, int[] oldNumbers) {
    this.after = after;
    this.numbers = numbers;
    this.oldNumbers = oldNumbers;
    this.removed = IntStream.range(0, numbers.length).filter(old -> numbers[old] == NONE).toArray();
  }

  /** Null if the switches are not the same, or links were added. */
  static @Nullable RemovedLinks between(Adjacency before, Adjacency after) {
    if (!before.hasSwitchesOf(after)) {
      return null;
    }
    int[] numbers = new int[before.linkCount()];
    int[] oldNumbers = new int[after.linkCount()];
    Arrays.fill(numbers, NONE);
    int number = 0;
    // both in the same order
    for (int old = 0; old < before.linkCount() && number < after.linkCount(); old++) {
      if (before.link(old).equals(after.link(number))) {
        numbers[old] = number;
        oldNumbers[number++] = old;
      }
    }
    return number == after.linkCount() ? new RemovedLinks(after, numbers, oldNumbers) : null;
  }

  /** The network without the links. */
  Adjacency after() {
    return after;
  }

  /** The new number of a link, or {@link #NONE}. */
  int number(int oldNumber) {
    return numbers[oldNumber];
  }

  /** Whether none of the removed links is among some, by old number. */
  boolean areUnused(boolean[] used) {
    for (int link : removed) {
      if (used[link]) {
        return false;
      }
    }
    return true;
  }

  /** The costs of the links that are left. */
  LinkCosts left(LinkCosts before) {
    return costs.computeIfAbsent(before, all -> all.of(oldNumbers));
  }

  /** The widths of the links that are left. */
  LinkWidths left(LinkWidths before) {
    return widths.computeIfAbsent(before, all -> all.of(oldNumbers, numbers));
  }
}
