package io.malob.balancer.connection;

import java.util.Arrays;

/**
 * Decides which entries give way when there are too many: one of the VIP that has the most, and of
 * its clients the one that has the most loses its oldest entry. So an entry is safe from others as
 * long as its VIP and client have no more than their share. Pure; takes time in proportion to the
 * number of entries.
 */
final class FairShares {
  private FairShares() {}

  /** An entry's VIP and client as one number. */
  static long holder(int vipNumber, int client) {
    return (long) vipNumber << Integer.SIZE | Integer.toUnsignedLong(client);
  }

  /**
   * The positions of the entries that give way first, one after the other.
   *
   * @param holders the {@link #holder} of each entry, oldest first
   * @param count how many
   */
  static int[] first(long[] holders, int count) {
    int[] oldestFirst = new int[holders.length];
    long[] vips = new long[holders.length];
    for (int i = 0; i < holders.length; i++) {
      oldestFirst[i] = i;
      vips[i] = holders[i] >>> Integer.SIZE;
    }
    int[] ofVip = largestFirst(rests(oldestFirst, groups(holders)));
    int[] ofAll = largestFirst(rests(ofVip, groups(vips)));
    return Arrays.copyOf(ofAll, count);
  }

  /**
   * How many entries its group still has when each entry gives way, itself included.
   *
   * @param order the order in which the entries of each group give way
   */
  private static int[] rests(int[] order, int[] groups) {
    int[] rests = new int[order.length];
    int[] seen = new int[order.length];
    for (int i = order.length - 1; i >= 0; i--) {
      int entry = order[i];
      rests[entry] = ++seen[groups[entry]];
    }
    return rests;
  }

  /** The entries by descending rests; among equal ones, the oldest first. */
  private static int[] largestFirst(int[] rests) {
    int max = rests.length;
    int[] begins = new int[max + 1];
    for (int rest : rests) {
      begins[max - rest + 1]++;
    }
    for (int i = 1; i <= max; i++) {
      begins[i] += begins[i - 1];
    }
    int[] order = new int[max];
    for (int entry = 0; entry < max; entry++) {
      order[begins[max - rests[entry]]++] = entry;
    }
    return order;
  }

  /** For each entry, the first one with the same key. */
  private static int[] groups(long[] keys) {
    int mask = (Integer.highestOneBit(Math.max(1, keys.length)) << 2) - 1;
    int[] firsts = new int[mask + 1]; // plus one, so that zero is an empty slot
    int[] groups = new int[keys.length];
    for (int i = 0; i < keys.length; i++) {
      int slot = mixed(keys[i]) & mask;
      while (firsts[slot] != 0 && keys[firsts[slot] - 1] != keys[i]) {
        slot = slot + 1 & mask;
      }
      if (firsts[slot] == 0) {
        firsts[slot] = i + 1;
      }
      groups[i] = firsts[slot] - 1;
    }
    return groups;
  }

  private static int mixed(long key) {
    long product = key * 0x9e3779b97f4a7c15L;
    return (int) (product ^ product >>> Integer.SIZE);
  }
}
