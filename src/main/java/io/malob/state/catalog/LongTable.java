package io.malob.state.catalog;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An immutable hash table with primitive keys, so that a look-up allocates nothing. */
public final class LongTable<V> {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final long[] keys;
  private final @Nullable Object[] values;
  private final int shift;

  /** A table of these entries, at most half full, so that probing terminates. */
  public LongTable(Map<Long, V> entries) {
    int capacity = Math.max(4, Integer.highestOneBit(Math.max(1, entries.size())) * 4);
    keys = new long[capacity];
    values = new Object[capacity];
    shift = Long.SIZE - Integer.numberOfTrailingZeros(capacity);
    entries.forEach(this::insert);
  }

  private void insert(long key, V value) {
    int slot = slotOf(key);
    while (values[slot] != null) {
      slot = (slot + 1) & (keys.length - 1);
    }
    keys[slot] = key;
    values[slot] = value;
  }

  /** The value of that key, or null. */
  @SuppressWarnings("unchecked")
  public @Nullable V get(long key) {
    int slot = slotOf(key);
    while (values[slot] != null) {
      if (keys[slot] == key) {
        return (V) values[slot];
      }
      slot = (slot + 1) & (keys.length - 1);
    }
    return null;
  }

  private int slotOf(long key) {
    return (int) ((key * GOLDEN) >>> shift);
  }
}
