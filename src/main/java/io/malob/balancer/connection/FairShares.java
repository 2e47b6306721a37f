package io.malob.balancer.connection;

import java.util.Arrays;

/**
 * Decides which entries give way when there are too many: one of the VIP that has the most, and of
 * its clients the one that has the most loses its oldest entry. So an entry is safe from others as
 * long as its VIP and client have no more than their share. Pure.
 */
final class FairShares {
  private static final int POSITION_BITS = 24;
  private static final long POSITION_MASK = (1L << POSITION_BITS) - 1;

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
    long[] keys = new long[holders.length];
    // equal holders side by side, each one's oldest first
    for (int i = 0; i < keys.length; i++) {
      keys[i] = mixed(holders[i]) << POSITION_BITS | i;
    }
    Arrays.sort(keys);
    // the entries of a VIP in the order in which they give way: those whose client has the most
    rank(keys, holders, true);
    Arrays.sort(keys);
    // the entries of all VIPs
    rank(keys, holders, false);
    Arrays.sort(keys);
    int[] positions = new int[count];
    for (int i = 0; i < count; i++) {
      positions[i] = positionIn(keys[i]);
    }
    return positions;
  }

  /**
   * Gives each entry a key by how many entries its group still has when it gives way: those with
   * more come first, then older ones. The groups are those of holders, within their VIPs, or of
   * VIPs.
   */
  private static void rank(long[] keys, long[] holders, boolean isByHolder) {
    int end = keys.length;
    while (end > 0) {
      int last = end - 1;
      long group = group(holders[positionIn(keys[last])], isByHolder);
      int begin = last;
      while (begin > 0 && group(holders[positionIn(keys[begin - 1])], isByHolder) == group) {
        begin--;
      }
      for (int i = begin; i < end; i++) {
        int position = positionIn(keys[i]);
        long rest = POSITION_MASK - (end - i);
        long vip = isByHolder ? holders[position] >>> Integer.SIZE : 0;
        keys[i] = (vip << POSITION_BITS | rest) << POSITION_BITS | position;
      }
      end = begin;
    }
  }

  private static long group(long holder, boolean isByHolder) {
    return isByHolder ? holder : holder >>> Integer.SIZE;
  }

  private static int positionIn(long key) {
    return (int) (key & POSITION_MASK);
  }

  /** Different holders are hardly ever equal here; each of those would count as several. */
  private static long mixed(long holder) {
    long product = holder * 0x9e3779b97f4a7c15L;
    return product ^ product >>> Integer.SIZE;
  }
}
