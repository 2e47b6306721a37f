package io.malob.openflow.bucket;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.bucket.BucketCount;

/**
 * How a switch sorts the packets of clients into buckets.
 *
 * @param source the part of the packet that it reads
 * @param count the number of buckets, a power of two from {@link #MIN} to {@link #MAX}
 */
public record BucketKey(BucketSource source, int count) {
  /** The min number of buckets. */
  public static final int MIN = BucketCount.MIN;

  /** The max number of buckets: a cookie has 13 bits for the index of one. */
  public static final int MAX = BucketCount.MAX;

  public BucketKey {
    if (count < MIN || count > MAX || Integer.bitCount(count) != 1) {
      throw new IllegalArgumentException(count + " buckets are not possible");
    }
  }

  /** The index of the bucket of a client's packet, from 0. */
  public int indexOf(FiveTuple request) {
    int bits = source == BucketSource.PORT ? request.srcPort() >> 1 : end(request.srcAddress());
    return bits & (count - 1);
  }

  /** The last 32 bits of an address. */
  private static int end(int addressKey) {
    return AddressKey.isIpv6(addressKey) ? (int) AddressKey.lower(addressKey) : addressKey;
  }

  /** The binary logarithm of the number of buckets. */
  int bits() {
    return Integer.numberOfTrailingZeros(count);
  }
}
