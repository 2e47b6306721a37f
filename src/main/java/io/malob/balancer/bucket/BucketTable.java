package io.malob.balancer.bucket;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.FiveTuple;
import io.malob.openflow.bucket.BucketKey;

/**
 * The buckets of a VIP at one client edge, at one moment. Immutable.
 *
 * @param key how the switch sorts packets into buckets
 * @param buckets all of them, by index
 * @param isInForce whether the switch has them. If not, the VIP is reactive there again, and the
 *     buckets tell where established connections are
 */
public record BucketTable(BucketKey key, ImmutableList<Bucket> buckets, boolean isInForce) {

  /** The bucket of a client's packet. */
  public Bucket of(FiveTuple request) {
    return buckets.get(key.indexOf(request));
  }
}
