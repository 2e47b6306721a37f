package io.malob.algorithm.bucket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BucketCountTest {
  private static double[] equal(int members) {
    double[] shares = new double[members];
    Arrays.fill(shares, 1.0 / members);
    return shares;
  }

  private static double imbalance(double[] shares, int buckets) {
    return BucketAssignment.imbalance(
        BucketAssignment.initial(shares, buckets), shares, new double[buckets]);
  }

  @ParameterizedTest
  @CsvSource({"1,64", "2,64", "3,64", "64,64", "100,1024", "1000,8192", "20000,8192"})
  void forShares_ofEqualMembers(int members, int buckets) {
    assertEquals(buckets, BucketCount.forShares(equal(members)));
  }

  @Test
  void forShares_ofWeights_usesTheirProportions() {
    assertEquals(64, BucketCount.forShares(new double[] {9, 3, 1}));
  }

  @Test
  void forShares_withoutShares_isTheMin() {
    assertEquals(BucketCount.MIN, BucketCount.forShares(new double[3]));
    assertEquals(BucketCount.MIN, BucketCount.forShares(new double[0]));
  }

  /** 63 members of a thousandth each take 63 of 64 buckets, or of 128 a half. */
  @Test
  void forShares_whereSmallSharesBendTheOthers_isLarger() {
    double[] shares = equal(64);
    Arrays.fill(shares, 0.001);
    shares[0] = 1 - 63 * 0.001;
    assertEquals(1024, BucketCount.forShares(shares));
  }

  @Test
  void forShares_isTheSmallestCountWithinTwoPercent() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      double[] shares = random.doubles(1 + random.nextInt(60), 0.001, 1).toArray();
      int buckets = BucketCount.forShares(shares);
      assertTrue(imbalance(shares, buckets) <= 0.02, "seed " + seed + ": " + buckets);
      assertTrue(
          buckets == BucketCount.MIN || imbalance(shares, buckets / 2) > 0.02,
          "seed " + seed + ": " + buckets + " buckets are more than needed");
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, Double.NaN, Double.POSITIVE_INFINITY})
  void forShares_ofNoShare_throws(double share) {
    assertThrows(
        IllegalArgumentException.class, () -> BucketCount.forShares(new double[] {0.5, share}));
  }
}
