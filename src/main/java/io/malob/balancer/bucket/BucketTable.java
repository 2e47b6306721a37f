package io.malob.balancer.bucket;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.FiveTuple;
import io.malob.openflow.bucket.BucketKey;
import io.malob.openflow.bucket.BucketTraffic;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of a VIP at one client edge, at one moment. Immutable.
 *
 * @param key how the switch sorts packets into buckets
 * @param buckets all of them, by index
 * @param isInForce whether the switch has them. If not, the VIP is reactive there again, and the
 *     buckets tell where established connections are
 * @param tracking how the switch tracks connections; null if it does not
 */
public record BucketTable(
    BucketKey key, ImmutableList<Bucket> buckets, boolean isInForce, @Nullable Tracking tracking) {

  /**
   * How a switch tracks connections.
   *
   * @param traffic the traffic of the VIP
   * @param isExact whether the controller chooses the member of each connection, not its bucket
   */
  public record Tracking(BucketTraffic traffic, boolean isExact) {}

  /** Of a switch that does not track connections. */
  public BucketTable(BucketKey key, ImmutableList<Bucket> buckets, boolean isInForce) {
    this(key, buckets, isInForce, null);
  }

  /** Whether the controller chooses the member of each connection. */
  public boolean isExact() {
    return isInForce && tracking != null && tracking.isExact;
  }

  /** The bucket of a client's packet. */
  public Bucket of(FiveTuple request) {
    return buckets.get(key.indexOf(request));
  }
}
