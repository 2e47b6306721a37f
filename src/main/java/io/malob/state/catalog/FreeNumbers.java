package io.malob.state.catalog;

import java.util.BitSet;
import java.util.Collection;

/**
 * Gives numbers to new items, each reused as late as possible, so that old cookies are not
 * mistaken. For one thread.
 */
final class FreeNumbers {
  private final BitSet used;
  private final int max;
  private int last;

  /** The numbers from 1 to {@code max} after {@code last}, cyclic; 0 if {@code max} is 0. */
  FreeNumbers(int last, int max) {
    this.used = new BitSet(max + 1);
    this.last = last;
    this.max = max;
  }

  /** Leaves out the numbers of these items. */
  <T extends CatalogItem> FreeNumbers without(Collection<T> items, CatalogKind<T> kind) {
    if (max > 0) {
      items.forEach(item -> used.set(kind.numberOf(item)));
    }
    return this;
  }

  /** The next one. There must be one. */
  int next() {
    if (max > 0) {
      int free = used.nextClearBit(last + 1);
      last = free <= max ? free : used.nextClearBit(1);
      used.set(last);
    }
    return last;
  }

  /** The last one given; the initial one if none was. */
  int last() {
    return last;
  }
}
