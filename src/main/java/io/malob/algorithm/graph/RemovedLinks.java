package io.malob.algorithm.graph;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
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

  private final Map<LinkMetrics, LinkMetrics> left = new HashMap<>();

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
    return Arrays.stream(removed).noneMatch(link -> used[link]);
  }

  /** The costs and widths of the links that are left. */
  LinkMetrics left(LinkMetrics before) {
    return left.computeIfAbsent(
        before,
        all -> new LinkMetrics(all.costs().of(oldNumbers), all.widths().of(oldNumbers, numbers)));
  }
}
