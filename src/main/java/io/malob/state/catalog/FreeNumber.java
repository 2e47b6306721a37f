package io.malob.state.catalog;

import java.util.BitSet;
import java.util.Collection;
import java.util.function.ToIntFunction;

/**
 * Allocates numbers to items, and reuses each as late as possible, so that old cookies are not
 * mistaken.
 */
final class FreeNumber {
  private FreeNumber() {}

  /** The next free number from 1 to {@code max} after {@code last}, cyclic. */
  static <T> int after(int last, int max, Collection<T> items, ToIntFunction<T> numberOf) {
    BitSet used = new BitSet(max + 1);
    items.forEach(item -> used.set(numberOf.applyAsInt(item)));
    int free = used.nextClearBit(last + 1);
    return free <= max ? free : used.nextClearBit(1);
  }
}
