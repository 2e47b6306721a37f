package io.malob.algorithm.bucket;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One improvement of an assignment; see {@link BucketAssignment#improve}. Used once, by one thread.
 *
 * <p>Loads are whole numbers, so sums do not depend on the order of moves, and an assignment that
 * cannot be improved is recognized as such the next time.
 */
final class Rebalancing {
  /** The sum of all loads, nearly. */
  private static final double WHOLE = 0x1p50;

  /**
   * A move must reduce the imbalance by more than this part of the bucket's size, as far as that is
   * above a mean bucket: a move disturbs all traffic of the bucket.
   */
  private static final int MIN_GAIN_DIVISOR = 4;

  private final int[] home;
  private final int[] assigned;
  private final long[] sizes;
  private final long meanSize;

  /** By member: its load less its share of all loads. */
  private final long[] deviations;

  private final boolean[] isEntitled;

  /** By member: its buckets that may move. */
  private final List<TreeSet<Bucket>> buckets = new ArrayList<>();

  /** Members with a positive share, the one that lacks the most first. */
  private final TreeSet<Integer> takers;

  /** Members that may have a bucket to give, the one with the largest excess last. */
  private final TreeSet<Integer> givers;

  /** How many buckets with a member have another one now. */
  private int moves;

  /** Ordered by size; of equal ones, neighbours are far apart, so that moves are spread. */
  private record Bucket(long size, int spread, int number) implements Comparable<Bucket> {
    private static final Comparator<Bucket> ORDER =
        Comparator.comparingLong(Bucket::size).thenComparingInt(Bucket::spread);

    Bucket(long size, int number) {
      this(size, Integer.reverse(number) >>> 1, number);
    }

    /** The last of all buckets up to a size. */
    static Bucket lastOf(long size) {
      return new Bucket(size, Integer.MAX_VALUE, -1);
    }

    @Override
    public int compareTo(Bucket other) {
      return ORDER.compare(this, other);
    }
  }

  /**
   * An improvement of an assignment.
   *
   * @param current the member of each bucket, of at least one
   * @param shares the share of each member, not all 0
   * @param fractions the size of each bucket as a fraction of all
   * @param movable whether a bucket that has a member may get another
   */
  Rebalancing(int[] current, double[] shares, double[] fractions, boolean[] movable) {
    this.home = current;
    this.assigned = current.clone();
    this.sizes = Arrays.stream(fractions).mapToLong(part -> Math.round(part * WHOLE)).toArray();
    long total = Arrays.stream(sizes).sum();
    this.meanSize = total / sizes.length;
    double[] quotas = Quotas.of(shares, sizes.length);
    this.deviations = new long[shares.length];
    this.isEntitled = new boolean[shares.length];
    for (int member = 0; member < shares.length; member++) {
      deviations[member] = -Math.round(quotas[member] / sizes.length * total);
      isEntitled[member] = quotas[member] > 0;
      buckets.add(new TreeSet<>());
    }
    for (int bucket = 0; bucket < current.length; bucket++) {
      if (current[bucket] == BucketAssignment.NONE) {
        continue;
      }
      deviations[current[bucket]] += sizes[bucket];
      if (movable[bucket]) {
        buckets.get(current[bucket]).add(new Bucket(sizes[bucket], bucket));
      }
    }
    Comparator<Integer> byDeviation =
        Comparator.comparingLong((Integer member) -> deviations[member])
            .thenComparing(Comparator.naturalOrder());
    this.takers = new TreeSet<>(byDeviation);
    this.givers = new TreeSet<>(byDeviation);
    for (int member = 0; member < shares.length; member++) {
      givers.add(member);
      if (isEntitled[member]) {
        takers.add(member);
      }
    }
  }

  /** Improves the assignment. */
  int[] run(int maxMoves) {
    placeThoseWithout(maxMoves);
    balance(maxMoves);
    return assigned;
  }

  /** Gives a member to each bucket that has none, or a member without a share. */
  private void placeThoseWithout(int maxMoves) {
    List<Bucket> evicted = new ArrayList<>();
    for (int member = 0; member < deviations.length; member++) {
      if (!isEntitled[member]) {
        evicted.addAll(buckets.get(member));
      }
    }
    evicted.sort(Comparator.reverseOrder());
    List<Bucket> all = new ArrayList<>(evicted.subList(0, Math.min(maxMoves, evicted.size())));
    for (int bucket = 0; bucket < home.length; bucket++) {
      if (home[bucket] == BucketAssignment.NONE) {
        all.add(new Bucket(sizes[bucket], bucket));
      }
    }
    all.sort(Comparator.comparingLong(Bucket::size).reversed().thenComparing(Bucket::number));
    for (Bucket bucket : all) {
      move(bucket, takers.first());
    }
  }

  private void balance(int maxMoves) {
    while (moves < maxMoves && !givers.isEmpty()) {
      int from = givers.last();
      int to = takers.first();
      long excess = deviations[from];
      long lack = -deviations[to];
      if (excess <= 0 || lack <= 0 || Math.max(excess, lack) <= meanSize) {
        return;
      }
      @Nullable Bucket bucket = bestFitting(from, excess, lack);
      if (bucket == null) {
        // for good: what others lack does not grow
        givers.remove(from);
      } else {
        move(bucket, to);
      }
    }
  }

  /**
   * The bucket of a member that fits best; null if no move gains enough: the largest that makes
   * neither member deviate the other way, unless the next larger one gains more than twice as much.
   */
  private @Nullable Bucket bestFitting(int from, long excess, long lack) {
    long fit = Math.min(excess, lack);
    @Nullable Bucket below = buckets.get(from).floor(Bucket.lastOf(fit));
    @Nullable Bucket above = buckets.get(from).higher(Bucket.lastOf(fit));
    if (above == null) {
      return below;
    }
    long gain = Math.min(fit, excess + lack - above.size);
    long minGain = Math.max(0, above.size - meanSize) / MIN_GAIN_DIVISOR;
    boolean isBetter = below == null || gain > 2 * below.size;
    return gain > minGain && isBetter ? above : below;
  }

  private void move(Bucket bucket, int to) {
    int from = assigned[bucket.number];
    int original = home[bucket.number];
    if (from != BucketAssignment.NONE) {
      buckets.get(from).remove(bucket);
      change(from, -bucket.size);
    }
    buckets.get(to).add(bucket);
    change(to, bucket.size);
    assigned[bucket.number] = to;
    if (original != BucketAssignment.NONE) {
      moves += (to == original ? 0 : 1) - (from == original ? 0 : 1);
    }
  }

  private void change(int member, long load) {
    boolean gives = givers.remove(member);
    boolean takes = takers.remove(member);
    deviations[member] += load;
    if (gives) {
      givers.add(member);
    }
    if (takes) {
      takers.add(member);
    }
  }
}
