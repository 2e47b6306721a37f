package io.malob.balancer.connection;

import java.util.Arrays;

/**
 * Decides which entries give way when there are too many: one of the VIP that has the most, and of
 * its clients the one that has the most loses its oldest entry. So an entry is safe from others as
 * long as its VIP and client have no more than their share. Takes time in proportion to the number
 * of entries. Keeps its arrays from one decision to the next; for one thread at a time.
 */
final class FairShares {
  private static final int MIN_CAPACITY = 64;

  /** Each entry's VIP and client as one number, oldest first. */
  private long[] holders = new long[0];

  private int[] entries = new int[0];
  private int size;

  /** Whether the entries are of several VIPs. */
  private boolean hasVips;

  /** How many entries its group still has when each entry gives way, itself included. */
  private int[] rests = new int[0];

  /** The positions of entries in the order in which those of each group give way. */
  private int[] order = new int[0];

  private int[] ends = new int[1];

  // a hash table of groups, which are holders or VIPs; its length is a power of two
  private long[] groups = new long[0];
  private int[] sizes = new int[0];

  /** Adds an entry that is younger than all before. */
  void add(int entry, int vipNumber, int client) {
    if (size == entries.length) {
      setCapacity(Math.max(MIN_CAPACITY, 2 * size));
    }
    holders[size] = (long) vipNumber << Integer.SIZE | Integer.toUnsignedLong(client);
    hasVips |= holders[size] >>> Integer.SIZE != holders[0] >>> Integer.SIZE;
    entries[size++] = entry;
  }

  private void setCapacity(int capacity) {
    holders = Arrays.copyOf(holders, capacity);
    entries = Arrays.copyOf(entries, capacity);
    rests = new int[capacity];
    order = new int[capacity];
    ends = new int[capacity + 1];
    groups = new long[Integer.highestOneBit(capacity) << 2];
    sizes = new int[groups.length];
  }

  /** The entries that give way first, one after the other. Forgets all entries. */
  int[] takeFirst(int count) {
    for (int i = 0; i < size; i++) {
      order[i] = i;
    }
    sort(0);
    if (hasVips) {
      sort(Integer.SIZE);
    }
    int[] first = new int[count];
    for (int i = 0; i < count; i++) {
      first[i] = entries[order[i]];
    }
    size = 0;
    hasVips = false;
    return first;
  }

  /**
   * Sorts the entries by descending rests; among equal ones, the oldest first.
   *
   * @param shift how many bits of a holder do not belong to its group
   */
  private void sort(int shift) {
    int max = countRests(shift);
    Arrays.fill(ends, 0, max + 1, 0);
    for (int i = 0; i < size; i++) {
      ends[max - rests[i]]++;
    }
    for (int i = 1; i <= max; i++) {
      ends[i] += ends[i - 1];
    }
    for (int i = size - 1; i >= 0; i--) {
      order[--ends[max - rests[i]]] = i;
    }
  }

  /** Returns the largest one. */
  private int countRests(int shift) {
    Arrays.fill(sizes, 0);
    int mask = sizes.length - 1;
    int max = 0;
    for (int i = size - 1; i >= 0; i--) {
      long group = holders[order[i]] >>> shift;
      int slot = mixed(group) & mask;
      while (sizes[slot] != 0 && groups[slot] != group) {
        slot = slot + 1 & mask;
      }
      groups[slot] = group;
      rests[order[i]] = ++sizes[slot];
      max = Math.max(max, sizes[slot]);
    }
    return max;
  }

  private static int mixed(long group) {
    long product = group * 0x9e3779b97f4a7c15L;
    return (int) (product ^ product >>> Integer.SIZE);
  }
}
