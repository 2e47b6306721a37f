package io.malob.algorithm.bucket;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Assignments of buckets, by example and against what must hold for random ones. */
class BucketAssignmentTest {
  private static final int ANY = Integer.MAX_VALUE;
  private static final int SEEDS = 400;

  private static double[] equal(int members) {
    double[] shares = new double[members];
    Arrays.fill(shares, 1.0 / members);
    return shares;
  }

  private static boolean[] all(int buckets) {
    boolean[] movable = new boolean[buckets];
    Arrays.fill(movable, true);
    return movable;
  }

  private static int[] counts(int[] assigned, int members) {
    int[] counts = new int[members];
    Arrays.stream(assigned).filter(member -> member >= 0).forEach(member -> counts[member]++);
    return counts;
  }

  private static int[] improve(int[] current, double... shares) {
    return BucketAssignment.improve(
        current, shares, new double[current.length], all(current.length), ANY);
  }

  private static int[] improveSized(int[] current, double[] shares, double[] sizes) {
    return BucketAssignment.improve(current, shares, sizes, all(current.length), ANY);
  }

  /** How many buckets had a member and have another. */
  private static int moves(int[] before, int[] after) {
    return (int)
        IntStream.range(0, before.length)
            .filter(bucket -> before[bucket] >= 0 && before[bucket] != after[bucket])
            .count();
  }

  private static double[] normalized(double[] shares) {
    double sum = Arrays.stream(shares).sum();
    return Arrays.stream(shares).map(share -> share / sum).toArray();
  }

  // initial

  @Test
  void loads_areThePartsOfTheTraffic_withATenthSpreadEqually() {
    double[] loads =
        BucketAssignment.loads(
            new int[] {0, 1, 1, BucketAssignment.NONE}, 3, new double[] {4, 0, 0, 0});
    assertArrayEquals(new double[] {0.9 + 0.025, 0.05, 0}, loads, 1e-9);
  }

  @Test
  void initial_ofEqualMembers_takesTurns() {
    int[] assigned = BucketAssignment.initial(equal(3), 64);
    for (int bucket = 0; bucket < 63; bucket++) {
      assertEquals(bucket % 3, assigned[bucket], "bucket " + bucket);
    }
    assertArrayEquals(new int[] {22, 21, 21}, counts(assigned, 3));
  }

  @Test
  void initial_ofWeights_isTheLargestRemainder() {
    // 44.3, 14.8 and 4.9 buckets
    int[] assigned = BucketAssignment.initial(new double[] {9, 3, 1}, 64);
    assertArrayEquals(new int[] {44, 15, 5}, counts(assigned, 3));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 100, 1_000})
  void initial_withEnoughBuckets_isWithinTwoPercent(int members) {
    double[] shares = equal(members);
    int buckets = BucketCount.forShares(shares);
    int[] assigned = BucketAssignment.initial(shares, buckets);
    assertTrue(BucketAssignment.imbalance(assigned, shares, new double[buckets]) <= 0.02);
  }

  @Test
  void initial_ofASmallShare_givesItABucket() {
    int[] assigned = BucketAssignment.initial(new double[] {0.999, 0.0005, 0.0005, 0}, 64);
    assertArrayEquals(new int[] {62, 1, 1, 0}, counts(assigned, 4));
  }

  @Test
  void initial_ofMoreMembersThanBuckets_givesTheLargestOneEach() {
    int[] assigned = BucketAssignment.initial(new double[] {1, 3, 2, 1, 3, 2}, 4);
    assertArrayEquals(new int[] {0, 1, 1, 0, 1, 1}, counts(assigned, 6));
  }

  @Test
  void initial_withoutShares_assignsNone() {
    assertArrayEquals(new int[] {-1, -1}, BucketAssignment.initial(new double[3], 2));
  }

  @Test
  void initial_spreadsEachMember() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      double[] shares = normalized(random.doubles(3 + random.nextInt(20), 0.01, 1).toArray());
      int buckets = 64 << random.nextInt(4);
      int[] assigned = BucketAssignment.initial(shares, buckets);
      int[] counts = counts(assigned, shares.length);
      assertEquals(buckets, Arrays.stream(counts).sum(), "seed " + seed);
      int[] soFar = new int[shares.length];
      for (int bucket = 0; bucket < buckets; bucket++) {
        int member = assigned[bucket];
        soFar[member]++;
        double due = (double) counts[member] * (bucket + 1) / buckets;
        assertEquals(due, soFar[member], 2, "seed " + seed + ", bucket " + bucket);
        boolean isLarge = counts[member] > 0.45 * buckets;
        assertTrue(
            bucket == 0 || isLarge || assigned[bucket - 1] != member,
            "seed " + seed + ": neighbours at bucket " + bucket);
      }
    }
  }

  // improve

  @Test
  void improve_ofAGoodAssignment_changesNothing() {
    int[] current = BucketAssignment.initial(equal(3), 64);
    assertArrayEquals(current, improve(current, equal(3)));
  }

  @Test
  void improve_byOneBucket_changesNothing() {
    int[] current = {0, 0, 0, 0, 0, 1, 1, 1};
    assertArrayEquals(current, improve(current, 0.5, 0.5));
  }

  @Test
  void improve_byTwoBuckets_movesThem() {
    int[] current = {0, 0, 0, 0, 0, 0, 1, 1};
    int[] improved = improve(current, 0.5, 0.5);
    // from a deviation of two to one within the tolerance
    assertArrayEquals(new int[] {5, 3}, counts(improved, 2));
    assertEquals(1, moves(current, improved));
  }

  @Test
  void improve_afterAMemberHasGone_movesItsBucketsOnly() {
    int[] current = BucketAssignment.initial(equal(4), 64);
    int[] improved = improve(current, 1 / 3.0, 0, 1 / 3.0, 1 / 3.0);
    for (int bucket = 0; bucket < 64; bucket++) {
      assertTrue(current[bucket] == 1 || improved[bucket] == current[bucket]);
      assertTrue(improved[bucket] != 1);
    }
    int[] counts = counts(improved, 4);
    Arrays.sort(counts);
    assertArrayEquals(new int[] {0, 21, 21, 22}, counts);
  }

  @Test
  void improve_forANewMember_movesItsBucketsOnly() {
    int[] current = BucketAssignment.initial(equal(3), 64);
    int[] improved = improve(current, equal(4));
    int ofNew = counts(improved, 4)[3];
    assertTrue(ofNew == 15 || ofNew == 16, ofNew + " buckets");
    assertEquals(ofNew, moves(current, improved));
    // not all in a row
    int inARow = 0;
    for (int bucket = 0; bucket < 64; bucket++) {
      inARow = improved[bucket] == 3 ? inARow + 1 : 0;
      assertTrue(inARow <= 2, "bucket " + bucket);
    }
  }

  @Test
  void improve_forANewMemberWithASmallShare_movesABucket() {
    int[] current = BucketAssignment.initial(equal(30), 64);
    double[] shares = Arrays.copyOf(equal(30), 31);
    shares[30] = 0.0001;
    int[] improved = improve(current, shares);
    assertEquals(1, counts(improved, 31)[30]);
    assertArrayEquals(improved, improve(improved, shares));
  }

  @Test
  void improve_ofBucketsWithoutAMember_isNoMove() {
    int[] current = {-1, 0, -1, 1};
    int[] improved =
        BucketAssignment.improve(
            current, new double[] {0.5, 0.5}, new double[4], new boolean[4], 0);
    assertArrayEquals(new int[] {2, 2}, counts(improved, 2));
    assertEquals(0, moves(current, improved));
  }

  @Test
  void improve_withFewMoves_startsWithMembersWithoutAShare() {
    int[] current = {0, 0, 0, 0, 0, 2, 2, 1};
    double[] shares = {0.5, 0.5, 0};
    int[] improved =
        BucketAssignment.improve(current, shares, new double[8], all(8), /* maxMoves= */ 2);
    assertArrayEquals(new int[] {0, 0, 0, 0, 0, 1, 1, 1}, improved);
  }

  @Test
  void improve_withFewMoves_evictsTheLargestBucketsFirst() {
    int[] current = {1, 1, 1, 0};
    double[] sizes = {1, 7, 2, 1};
    int[] improved =
        BucketAssignment.improve(current, new double[] {1, 0}, sizes, all(4), /* maxMoves= */ 1);
    assertArrayEquals(new int[] {1, 0, 1, 0}, improved);
  }

  @Test
  void improve_withoutShares_changesNothing() {
    int[] current = {0, -1, 1};
    assertArrayEquals(current, improve(current, 0, 0));
  }

  @Test
  void improve_bySize_balancesTraffic() {
    // four clients, all at member 0
    int[] current = new int[64];
    double[] sizes = new double[64];
    sizes[3] = 40;
    sizes[17] = 30;
    sizes[40] = 20;
    sizes[41] = 10;
    int[] improved = improveSized(current, equal(2), sizes);
    assertTrue(BucketAssignment.imbalance(improved, equal(2), sizes) < 0.02);
    assertArrayEquals(improved, improveSized(improved, equal(2), sizes));
    // the silent buckets are spread, too
    assertTrue(Math.abs(counts(improved, 2)[0] - 32) <= 16, counts(improved, 2)[0] + " buckets");
  }

  @Test
  void improve_ofLargeBuckets_doesNotFollowNoise() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      double[] shares = equal(2 + random.nextInt(3));
      double[] traffic = new double[64];
      int[] clients = random.ints(0, 64).distinct().limit(4).toArray();
      for (int client : clients) {
        traffic[client] = 100;
      }
      int[] assigned = improveSized(BucketAssignment.initial(shares, 64), shares, traffic);
      for (int round = 0; round < 20; round++) {
        double[] noisy = traffic.clone();
        for (int client : clients) {
          noisy[client] *= 0.95 + 0.1 * random.nextDouble();
        }
        int[] next = improveSized(assigned, shares, noisy);
        for (int client : clients) {
          assertEquals(assigned[client], next[client], "seed " + seed + ", round " + round);
        }
        assigned = next;
      }
    }
  }

  @Test
  void improve_ofUnknownSizes_countsThemAsTheMean() {
    int[] current = {0, 0, 0, 0, 0, 0, 1, 1};
    double[] unknown = new double[8];
    Arrays.fill(unknown, Double.NaN);
    assertArrayEquals(improve(current, 0.5, 0.5), improveSized(current, equal(2), unknown));
    unknown[0] = 5;
    assertArrayEquals(improve(current, 0.5, 0.5), improveSized(current, equal(2), unknown));
  }

  /**
   * With equal buckets, the moves that each member needs to come within one bucket of its quota are
   * known, and so is their min.
   */
  @Test
  void improve_ofEqualBuckets_makesTheFewestMoves() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      int members = 2 + random.nextInt(12);
      int buckets = 64 << random.nextInt(3);
      double[] shares = normalized(random.doubles(members, 0.2, 1).toArray());
      int[] current = random.ints(buckets, 0, members).toArray();
      int[] improved = improve(current, shares);
      int toGive = 0;
      int toTake = 0;
      int[] before = counts(current, members);
      int[] after = counts(improved, members);
      for (int member = 0; member < members; member++) {
        double deviation = before[member] - shares[member] * buckets;
        toGive += (int) Math.max(0, Math.ceil(deviation - 1));
        toTake += (int) Math.max(0, Math.ceil(-deviation - 1));
        double left = after[member] - shares[member] * buckets;
        assertTrue(Math.abs(left) <= 1, "seed " + seed + ": " + left + " at " + member);
      }
      assertEquals(Math.max(toGive, toTake), moves(current, improved), "seed " + seed);
    }
  }

  @Test
  void improve_ofRandomAssignments_holdsItsPromises() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      String message = "seed " + seed;
      int members = 2 + random.nextInt(30);
      int buckets = 64 << random.nextInt(5);
      double[] weights = random.doubles(members).map(x -> x < 0.2 ? 0 : x).toArray();
      weights[0] = 1;
      double[] shares = normalized(weights);
      double skew = random.nextInt(3);
      double[] sizes =
          random.doubles(buckets).map(x -> Math.pow(x, -skew) * random.nextInt(3)).toArray();
      int[] current = random.ints(buckets, -1, members).toArray();
      boolean[] movable = new boolean[buckets];
      IntStream.range(0, buckets).forEach(bucket -> movable[bucket] = random.nextInt(5) > 0);
      int maxMoves = random.nextInt(buckets);

      int[] improved = BucketAssignment.improve(current, shares, sizes, movable, maxMoves);

      assertTrue(moves(current, improved) <= maxMoves, message);
      int evicted = 0;
      int evictable = 0;
      for (int bucket = 0; bucket < buckets; bucket++) {
        assertTrue(improved[bucket] >= 0, message);
        boolean moved = current[bucket] >= 0 && improved[bucket] != current[bucket];
        assertTrue(!moved || (movable[bucket] && shares[improved[bucket]] > 0), message);
        if (movable[bucket] && current[bucket] >= 0 && shares[current[bucket]] == 0) {
          evictable++;
          evicted += moved ? 1 : 0;
        }
      }
      assertEquals(Math.min(evictable, maxMoves), evicted, message);

      int[] best = improveSized(improved, shares, sizes);
      assertArrayEquals(best, improveSized(best, shares, sizes), message);
      if (Arrays.stream(shares).allMatch(share -> share == 0 || share * buckets > 1.1)) {
        double before = BucketAssignment.imbalance(improved, shares, sizes);
        double after = BucketAssignment.imbalance(best, shares, sizes);
        assertTrue(after <= before + 1e-9, message + ": " + before + " to " + after);
      }
      double[] fractions = BucketSizes.of(sizes);
      double largest = Arrays.stream(fractions).max().orElseThrow();
      double[] loads = new double[members];
      IntStream.range(0, buckets).forEach(b -> loads[best[b]] += fractions[b]);
      for (int member = 0; member < members; member++) {
        // a member keeps a large bucket, and has little else
        assertTrue(loads[member] <= shares[member] + 1.25 * largest + 2.0 / buckets, message);
      }
    }
  }

  /** Shares that change all the time, by less than a bucket. */
  @Test
  void improve_ofDriftingShares_movesNothing() {
    Random random = new Random(1);
    double[] shares = equal(8);
    int[] assigned = BucketAssignment.initial(shares, 512);
    for (int round = 0; round < 100; round++) {
      double[] drifted = normalized(random.doubles(8, 0.99, 1.01).toArray());
      assertArrayEquals(assigned, improve(assigned, drifted), "round " + round);
    }
  }

  @Test
  void improve_ofBadArguments_throws() {
    int[] current = {0, 1};
    double[] shares = {0.5, 0.5};
    assertThrows(
        IllegalArgumentException.class,
        () -> BucketAssignment.improve(current, shares, new double[3], all(2), ANY));
    assertThrows(
        IllegalArgumentException.class,
        () -> BucketAssignment.improve(current, shares, new double[2], all(3), ANY));
    assertThrows(
        IllegalArgumentException.class,
        () -> BucketAssignment.improve(current, shares, new double[2], all(2), -1));
    assertThrows(
        IllegalArgumentException.class,
        () -> BucketAssignment.improve(current, new double[] {1}, new double[2], all(2), ANY));
    assertThrows(
        IllegalArgumentException.class, () -> improveSized(current, shares, new double[] {1, -1}));
    assertThrows(
        IllegalArgumentException.class,
        () -> improveSized(current, shares, new double[] {1, Double.POSITIVE_INFINITY}));
  }

  // imbalance and grow

  @Test
  void imbalance_isWhatMembersGetBeyondTheirShares() {
    double[] equalSizes = new double[4];
    assertEquals(
        0.25,
        BucketAssignment.imbalance(new int[] {0, 0, 0, 1}, new double[] {0.5, 0.5}, equalSizes),
        1e-9);
    assertEquals(
        0.5,
        BucketAssignment.imbalance(new int[] {0, 0, 1, 1}, new double[] {1, 0}, equalSizes),
        1e-9);
    assertEquals(
        0,
        BucketAssignment.imbalance(new int[] {0, -1, -1, 1}, new double[] {0.5, 0.5}, equalSizes),
        1e-9);
  }

  @Test
  void grow_addsBitsAboveTheOthers() {
    assertArrayEquals(
        new int[] {2, 0, 1, -1, 2, 0, 1, -1}, BucketAssignment.grow(new int[] {2, 0, 1, -1}, 8));
    assertArrayEquals(new int[] {3}, BucketAssignment.grow(new int[] {3}, 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 6})
  void grow_toNoLargerPowerOfTwo_throws(int buckets) {
    assertThrows(IllegalArgumentException.class, () -> BucketAssignment.grow(new int[4], buckets));
  }
}
