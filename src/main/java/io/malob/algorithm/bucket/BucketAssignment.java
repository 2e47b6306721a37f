package io.malob.algorithm.bucket;

import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The member of each bucket, as an index into the list of shares, or {@link #NONE}. Pure: arguments
 * are not modified.
 *
 * <p>Shares are relative to their sum. A member with a positive share is entitled to at least one
 * bucket, if there are as many buckets as such members, even if its share is smaller: weights bend.
 * If no share is positive, no bucket gets a member and none moves.
 */
public final class BucketAssignment {
  /** In place of a member: the bucket has none. */
  public static final int NONE = -1;

  private BucketAssignment() {}

  /**
   * A first assignment, in equal buckets by the method of largest remainders. The buckets of a
   * member are spread evenly (earliest due date first, as in stride scheduling), so that clients
   * that take one source port after the other reach one member after the other: neighbouring
   * buckets differ, unless a member has about half of the buckets or more.
   *
   * @throws IllegalArgumentException if a share is negative, infinite or not a number, or the
   *     number of buckets is not positive
   */
  public static int[] initial(double[] shares, int buckets) {
    if (buckets < 1) {
      throw new IllegalArgumentException("buckets: " + buckets + " is not positive");
    }
    int[] counts = Quotas.whole(shares, buckets);
    PriorityQueue<Turn> turns = new PriorityQueue<>();
    for (int member = 0; member < counts.length; member++) {
      if (counts[member] > 0) {
        turns.add(new Turn(member, 0, counts[member]));
      }
    }
    int[] assigned = new int[buckets];
    Arrays.fill(assigned, NONE);
    for (int bucket = 0; bucket < buckets && !turns.isEmpty(); bucket++) {
      Turn turn = turns.remove();
      boolean isRepeated = bucket > 0 && turn.member == assigned[bucket - 1];
      if (isRepeated && turn.count <= buckets / 2 && !turns.isEmpty()) {
        Turn second = turns.remove();
        turns.add(turn);
        turn = second;
      }
      assigned[bucket] = turn.member;
      if (turn.number + 1 < turn.count) {
        turns.add(new Turn(turn.member, turn.number + 1, turn.count));
      }
    }
    return assigned;
  }

  /** A member's bucket of that number, from 0, of so many; in the order in which they are due. */
  private record Turn(int member, int number, int count) implements Comparable<Turn> {
    private static final Comparator<Turn> ORDER =
        Comparator.comparingDouble(Turn::due).thenComparingInt(Turn::member);

    double due() {
      return (number + 0.5) / count;
    }

    @Override
    public int compareTo(Turn other) {
      return ORDER.compare(this, other);
    }
  }

  /**
   * An assignment that is closer to the shares and differs from the current one in few buckets. A
   * second call with the result and the same other arguments changes nothing, unless the first one
   * made as many moves as it could. O(buckets log buckets).
   *
   * <ol>
   *   <li>Buckets without a member, and those of members with share 0, go to the member that lacks
   *       the most, the largest bucket first.
   *   <li>Then the member with the largest excess gives the best fitting bucket to the member that
   *       lacks the most, as long as one of the two deviates by more than a mean bucket. The move
   *       must reduce the imbalance, and the more the larger the bucket is: a few large buckets
   *       that cannot be balanced stay where they are.
   * </ol>
   *
   * @param current the member of each bucket; a bucket with {@link #NONE} always gets one
   * @param shares the share of each member
   * @param sizes the measured traffic of each bucket in any unit, not a number if unknown; a tenth
   *     of the total counts as spread equally, so that silent buckets are distributed too
   * @param movable whether a bucket that has a member may get another
   * @param maxMoves the max number of buckets that get another member, without those that had none
   * @throws IllegalArgumentException if the lengths differ, or a value is out of range
   */
  public static int[] improve(
      int[] current, double[] shares, double[] sizes, boolean[] movable, int maxMoves) {
    check(current, shares, sizes);
    if (movable.length != current.length) {
      throw new IllegalArgumentException(
          "movable: " + movable.length + " values for " + current.length + " buckets");
    }
    if (maxMoves < 0) {
      throw new IllegalArgumentException("maxMoves: " + maxMoves + " is negative");
    }
    return Quotas.sum(shares) == 0 || current.length == 0
        ? current.clone()
        : new Rebalancing(current, shares, BucketSizes.of(sizes), movable).run(maxMoves);
  }

  /**
   * The part of all traffic that each member gets. Sizes count as in {@link #improve}.
   *
   * @param members the number of members
   */
  public static double[] loads(int[] assigned, int members, double[] sizes) {
    double[] fractions = BucketSizes.of(sizes);
    double[] loads = new double[members];
    for (int bucket = 0; bucket < assigned.length; bucket++) {
      if (assigned[bucket] != NONE) {
        loads[assigned[bucket]] += fractions[bucket];
      }
    }
    return loads;
  }

  /**
   * The imbalance of an assignment, from 0 to 1: the sum of what members get beyond their shares,
   * as a fraction of all traffic. Sizes count as in {@link #improve}; a bucket without a member
   * belongs to no member's load.
   *
   * @throws IllegalArgumentException if the lengths differ, or a value is out of range
   */
  public static double imbalance(int[] assigned, double[] shares, double[] sizes) {
    check(assigned, shares, sizes);
    double[] loads = loads(assigned, shares.length, sizes);
    double sum = Quotas.sum(shares);
    double imbalance = 0;
    for (int member = 0; member < loads.length; member++) {
      imbalance += Math.max(0, loads[member] - (sum == 0 ? 0 : shares[member] / sum));
    }
    return imbalance;
  }

  private static void check(int[] assigned, double[] shares, double[] sizes) {
    if (sizes.length != assigned.length) {
      throw new IllegalArgumentException(
          "sizes: " + sizes.length + " values for " + assigned.length + " buckets");
    }
    for (int member : assigned) {
      if (member < NONE || member >= shares.length) {
        throw new IllegalArgumentException(
            "member: " + member + " is not below " + shares.length + ", the number of shares");
      }
    }
  }

  /**
   * The same assignment in more buckets, each of which has the member of the bucket that it was
   * part of: the bits that tell new buckets apart are added above the others.
   *
   * @param buckets a power of two, not below the current number
   * @throws IllegalArgumentException if it is not, or the current number is not a power of two
   */
  public static int[] grow(int[] current, int buckets) {
    if (Integer.bitCount(current.length) != 1
        || Integer.bitCount(buckets) != 1
        || buckets < current.length) {
      throw new IllegalArgumentException(
          "buckets: cannot grow from " + current.length + " to " + buckets);
    }
    int[] grown = new int[buckets];
    for (int bucket = 0; bucket < buckets; bucket++) {
      grown[bucket] = current[bucket & (current.length - 1)];
    }
    return grown;
  }
}
