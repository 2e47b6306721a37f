package io.malob.openflow.bucket;

import io.malob.openflow.Cookie;
import java.util.Optional;
import org.projectfloodlight.openflow.types.U64;

/**
 * The content of a bucket's cookie, by which a restarted controller finds buckets as they were. The
 * 20 lowest bits of {@link Cookie} are, from the highest down: 2 unused, 1 for a bucket that moves,
 * 1 for the source, 3 for the number of buckets, 13 for the index.
 *
 * @param vipNumber the VIP
 * @param memberNumber the member that the bucket leads to or, if it moves, that it has led to
 * @param key the source and the number of buckets
 * @param index the bucket
 * @param isMoving whether its packets go to the controller
 */
public record BucketCookie(
    int vipNumber, int memberNumber, BucketKey key, int index, boolean isMoving) {
  private static final int INDEX_BITS = 13;
  private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;
  private static final int COUNT_MASK = 7;
  private static final int SOURCE_BIT = 1 << 16;
  private static final int MOVING_BIT = 1 << 17;
  private static final int MIN_BITS = Integer.numberOfTrailingZeros(BucketKey.MIN);

  U64 cookie() {
    int low =
        index
            | ((key.bits() - MIN_BITS) << INDEX_BITS)
            | (key.source() == BucketSource.ADDRESS ? SOURCE_BIT : 0)
            | (isMoving ? MOVING_BIT : 0);
    return Cookie.of(Cookie.Kind.BUCKET, vipNumber, memberNumber, low);
  }

  /** The cookie of a VIP's buckets of one number, with the mask that selects them. */
  static U64 ofSet(int vipNumber, BucketKey key) {
    return Cookie.of(Cookie.Kind.BUCKET, vipNumber, 0, (key.bits() - MIN_BITS) << INDEX_BITS);
  }

  static U64 setMask() {
    return U64.of(Cookie.vipMask().getValue() | ((long) COUNT_MASK << INDEX_BITS));
  }

  /** The content of a cookie; empty if it is not that of a bucket. */
  public static Optional<BucketCookie> of(U64 cookie) {
    if (!Cookie.is(cookie, Cookie.Kind.BUCKET)) {
      return Optional.empty();
    }
    int low = Cookie.generation(cookie);
    BucketKey key =
        new BucketKey(
            (low & SOURCE_BIT) == 0 ? BucketSource.PORT : BucketSource.ADDRESS,
            1 << (MIN_BITS + ((low >> INDEX_BITS) & COUNT_MASK)));
    return Optional.of(
        new BucketCookie(
            Cookie.vipNumber(cookie),
            Cookie.memberNumber(cookie),
            key,
            low & INDEX_MASK & (key.count() - 1),
            (low & MOVING_BIT) != 0));
  }
}
