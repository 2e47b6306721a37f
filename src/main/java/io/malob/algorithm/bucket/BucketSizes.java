package io.malob.algorithm.bucket;

import java.util.Arrays;

/** The sizes of buckets as fractions of the whole. Pure. */
final class BucketSizes {
  /** The part of the whole that is spread equally over all buckets. */
  private static final double EQUAL_PART = 0.1;

  private BucketSizes() {}

  /**
   * The fractions of measured sizes. A bucket of unknown size counts as the mean of the others.
   *
   * @param sizes not negative, or not a number if unknown
   * @throws IllegalArgumentException if a size is negative or infinite
   */
  static double[] of(double[] sizes) {
    double mean = Arrays.stream(sizes).filter(size -> !Double.isNaN(size)).average().orElse(0);
    if (!(mean < Double.POSITIVE_INFINITY) || Arrays.stream(sizes).anyMatch(size -> size < 0)) {
      throw new IllegalArgumentException("sizes: must be finite and not negative");
    }
    double[] fractions = new double[sizes.length];
    for (int bucket = 0; bucket < sizes.length; bucket++) {
      double relative = Double.isNaN(sizes[bucket]) || mean == 0 ? 1 : sizes[bucket] / mean;
      fractions[bucket] = ((1 - EQUAL_PART) * relative + EQUAL_PART) / sizes.length;
    }
    return fractions;
  }
}
