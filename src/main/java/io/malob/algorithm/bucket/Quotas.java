package io.malob.algorithm.bucket;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * How many buckets each member should have. Pure.
 *
 * <p>A member with a positive share has at least one bucket, if there are as many buckets as such
 * members. So small shares are rounded up, at the cost of all others: weights bend.
 */
final class Quotas {
  /**
   * A little above 1, so that a member without a bucket lacks more than one: the condition for a
   * move to it.
   */
  private static final double MIN_QUOTA = 17.0 / 16;

  /** A quota this little below a whole number is that number. */
  private static final double ROUNDING = 1e-9;

  private Quotas() {}

  /**
   * The sum of shares.
   *
   * @throws IllegalArgumentException if a share is negative, infinite or not a number
   */
  static double sum(double[] shares) {
    for (double share : shares) {
      if (!(share >= 0 && share < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException("shares: " + share + " is not a share");
      }
    }
    return Arrays.stream(shares).sum();
  }

  /** The quota of each member, in buckets; all 0 if no share is positive. */
  static double[] of(double[] shares, int buckets) {
    double sum = sum(shares);
    double[] quotas = new double[shares.length];
    if (sum == 0) {
      return quotas;
    }
    int positive = 0;
    for (int member = 0; member < shares.length; member++) {
      quotas[member] = shares[member] / sum * buckets;
      positive += quotas[member] > 0 ? 1 : 0;
    }
    return positive > buckets ? quotas : bent(quotas, buckets, positive);
  }

  private static double[] bent(double[] quotas, int buckets, int positive) {
    double least = Math.min(MIN_QUOTA, (double) buckets / positive);
    boolean[] isSmall = new boolean[quotas.length];
    double scale = 1;
    // rounding up some quotas lowers the others, which may make more of them small
    while (markSmall(quotas, scale, least, isSmall)) {
      double left = buckets;
      double others = 0;
      for (int member = 0; member < quotas.length; member++) {
        left -= isSmall[member] ? least : 0;
        others += isSmall[member] ? 0 : quotas[member];
      }
      scale = others > 0 ? left / others : 1;
    }
    double[] bent = new double[quotas.length];
    for (int member = 0; member < quotas.length; member++) {
      bent[member] = isSmall[member] ? least : quotas[member] * scale;
    }
    return bent;
  }

  /** Marks the positive quotas below the least one; tells whether there are more than before. */
  private static boolean markSmall(double[] quotas, double scale, double least, boolean[] isSmall) {
    boolean more = false;
    for (int member = 0; member < quotas.length; member++) {
      if (!isSmall[member] && quotas[member] > 0 && quotas[member] * scale < least - ROUNDING) {
        isSmall[member] = true;
        more = true;
      }
    }
    return more;
  }

  /** The quotas in whole buckets, by the method of largest remainders. */
  static int[] whole(double[] shares, int buckets) {
    double[] quotas = of(shares, buckets);
    int[] counts = new int[quotas.length];
    double[] remainders = new double[quotas.length];
    int left = buckets;
    for (int member = 0; member < quotas.length; member++) {
      counts[member] = (int) (quotas[member] + ROUNDING);
      remainders[member] = quotas[member] - counts[member];
      left -= counts[member];
    }
    IntStream.range(0, quotas.length)
        .filter(member -> quotas[member] > 0)
        .boxed()
        .sorted(Comparator.comparingDouble(member -> -remainders[member]))
        .limit(left)
        .forEach(member -> counts[member]++);
    return counts;
  }
}
