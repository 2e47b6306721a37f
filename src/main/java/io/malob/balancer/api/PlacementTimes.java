package io.malob.balancer.api;

import com.google.common.primitives.ImmutableLongArray;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * A histogram of placement times. Counting takes no lock and allocates nothing. Any thread may
 * count. A concurrent reading may lack the latest counts.
 */
public final class PlacementTimes {
  /** From the time on an idle machine to the max time that packets wait for hosts and labels. */
  private static final ImmutableLongArray BOUNDS_NANOS = boundsNanos();

  private final LongAdder[] counts =
      Stream.generate(LongAdder::new).limit(BOUNDS_NANOS.length() + 1L).toArray(LongAdder[]::new);
  private final LongAdder sumNanos = new LongAdder();

  private static ImmutableLongArray boundsNanos() {
    ImmutableLongArray.Builder bounds = ImmutableLongArray.builder();
    for (long decade = TimeUnit.MICROSECONDS.toNanos(10);
        decade <= TimeUnit.SECONDS.toNanos(1);
        decade *= 10) {
      bounds.add(decade).add(decade * 5 / 2).add(decade * 5);
    }
    return bounds.build();
  }

  /** Counts a placement. */
  public void count(long nanos) {
    counts[bucketOf(nanos)].increment();
    sumNanos.add(Math.max(0, nanos));
  }

  /**
   * The first bucket whose bound is not below the value. A linear search suffices, because nearly
   * all values are in the first few buckets.
   */
  private static int bucketOf(long nanos) {
    int bucket = 0;
    while (bucket < BOUNDS_NANOS.length() && nanos > BOUNDS_NANOS.get(bucket)) {
      bucket++;
    }
    return bucket;
  }

  /** The counts so far. */
  public BalancerActivity.Durations now() {
    return new BalancerActivity.Durations(
        BOUNDS_NANOS,
        ImmutableLongArray.copyOf(Arrays.stream(counts).mapToLong(LongAdder::sum)),
        sumNanos.sum());
  }
}
