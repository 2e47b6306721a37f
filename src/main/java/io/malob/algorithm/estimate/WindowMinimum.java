package io.malob.algorithm.estimate;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;

/**
 * The min of the values within a time window. Queues and busy processors only add to a round trip,
 * so its min is closest to the truth. For one thread; times never go back.
 */
public final class WindowMinimum {
  private final long windowNanos;

  /** Values that can still become the minimum: later ones are larger. */
  private final Deque<Sample> rising = new ArrayDeque<>();

  private record Sample(long value, long atNanos) {}

  /** A window of this length. */
  public WindowMinimum(long windowNanos) {
    this.windowNanos = windowNanos;
  }

  /** Adds the value of now. */
  public void add(long value, long nowNanos) {
    while (!rising.isEmpty() && rising.peekLast().value >= value) {
      rising.removeLast();
    }
    rising.addLast(new Sample(value, nowNanos));
  }

  /** The minimum; empty if there is no value in the window. */
  public OptionalLong get(long nowNanos) {
    while (!rising.isEmpty() && nowNanos - rising.peekFirst().atNanos > windowNanos) {
      rising.removeFirst();
    }
    return rising.isEmpty() ? OptionalLong.empty() : OptionalLong.of(rising.peekFirst().value);
  }

  /** Forgets all values. */
  public void clear() {
    rising.clear();
  }
}
