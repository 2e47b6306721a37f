package io.malob.balancer.proactive;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * Distributes the ordinals of reply paths over the buckets of each member, so that each ordinal has
 * as many, and as few buckets as possible get another. Pure.
 */
final class BucketOrdinals {
  private BucketOrdinals() {}

  /** The ordinals of one member's buckets. */
  private static final class Turns {
    private final int[] used;
    private final int each;
    private int withOneMore;

    Turns(int buckets, int paths) {
      this.used = new int[paths];
      this.each = buckets / paths;
      this.withOneMore = buckets % paths;
    }

    /** Whether a bucket may have an ordinal. */
    boolean take(int ordinal) {
      if (ordinal < 1 || ordinal > used.length) {
        return false;
      }
      if (used[ordinal - 1] == each) {
        if (withOneMore == 0) {
          return false;
        }
        withOneMore--;
      } else if (used[ordinal - 1] > each) {
        return false;
      }
      used[ordinal - 1]++;
      return true;
    }

    /** The ordinal with the fewest buckets. */
    int takeNext() {
      int next = 1;
      for (int ordinal = 2; ordinal <= used.length; ordinal++) {
        next = used[ordinal - 1] < used[next - 1] ? ordinal : next;
      }
      used[next - 1]++;
      return next;
    }
  }

  /**
   * The ordinal of each bucket, from 1 on.
   *
   * @param members the numbers of their members
   * @param before their ordinals before; 0 if they had none for this member
   * @param paths the number of paths by the number of the member
   */
  static int[] assign(int[] members, int[] before, IntUnaryOperator paths) {
    Map<Integer, Integer> buckets = new HashMap<>();
    for (int member : members) {
      buckets.merge(member, 1, Integer::sum);
    }
    Map<Integer, Turns> turns = new HashMap<>();
    buckets.forEach(
        (member, count) -> turns.put(member, new Turns(count, paths.applyAsInt(member))));
    int[] ordinals = new int[members.length];
    for (int index = 0; index < members.length; index++) {
      Turns of = turns.get(members[index]);
      ordinals[index] = of != null && of.take(before[index]) ? before[index] : 0;
    }
    for (int index = 0; index < members.length; index++) {
      Turns of = turns.get(members[index]);
      if (of != null && ordinals[index] == 0) {
        ordinals[index] = of.takeNext();
      }
    }
    return ordinals;
  }
}
