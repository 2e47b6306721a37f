package io.malob.balancer.api;

import com.google.common.primitives.ImmutableLongArray;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * How long placements took, as a histogram: a few adders, no lock, nothing allocated. Counted by
 * any thread; what is read while others count may lack the latest of them.
 */
public final class PlacementTimes {
  /** From what an idle machine takes to how long packets may wait for hosts and labels. */
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

  /** The first bucket whose bound is not below the value; most are in the first few. */
  private static int bucketOf(long nanos) {
    int bucket = 0;
    while (bucket < BOUNDS_NANOS.length() && nanos > BOUNDS_NANOS.get(bucket)) {
      bucket++;
    }
    return bucket;
  }

  /** What was counted so far. */
  public BalancerActivity.Durations now() {
    return new BalancerActivity.Durations(
        BOUNDS_NANOS,
        ImmutableLongArray.copyOf(Arrays.stream(counts).mapToLong(LongAdder::sum)),
        sumNanos.sum());
  }
}
