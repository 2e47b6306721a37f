package io.malob.algorithm.bucket;

/**
 * How many buckets a VIP has at each client switch: more buckets come closer to the members'
 * shares, but cost more rules. Pure.
 *
 * <p>The error is the imbalance of N. Kang et al., Efficient traffic splitting on commodity
 * switches (Niagara), CoNEXT 2015: the sum of what members get beyond their shares.
 */
public final class BucketCount {
  /** The min number of buckets. */
  public static final int MIN = 64;

  /** The max number of buckets. */
  public static final int MAX = 8192;

  private static final double MAX_IMBALANCE = 0.02;

  private BucketCount() {}

  /**
   * The smallest power of two from {@link #MIN} to {@link #MAX} whose best assignment misplaces at
   * most 2 % of the buckets; {@link #MAX} if there is none. Each member with a positive share
   * counts with at least one bucket, as far as there are enough.
   *
   * @param shares the share of each member; only their proportions count
   * @throws IllegalArgumentException if a share is negative, infinite or not a number
   */
  public static int forShares(double[] shares) {
    double sum = Quotas.sum(shares);
    if (sum == 0) {
      return MIN;
    }
    int buckets = MIN;
    while (buckets < MAX && imbalance(shares, sum, buckets) > MAX_IMBALANCE) {
      buckets *= 2;
    }
    return buckets;
  }

  private static double imbalance(double[] shares, double sum, int buckets) {
    int[] counts = Quotas.whole(shares, buckets);
    double imbalance = 0;
    for (int member = 0; member < shares.length; member++) {
      imbalance += Math.max(0, (double) counts[member] / buckets - shares[member] / sum);
    }
    return imbalance;
  }
}
