package io.malob.openflow.bucket;

import io.malob.openflow.Cookie;
import io.malob.openflow.CookieField;
import io.malob.openflow.CookieKind;
import io.malob.openflow.MaskedCookie;
import java.util.Optional;
import org.projectfloodlight.openflow.types.U64;

/**
 * The content of a bucket's cookie, by which a restarted controller finds buckets as they were.
 *
 * @param vipNumber the VIP
 * @param memberNumber the member that the bucket leads to or, if it moves, that it has led to
 * @param key the source and the number of buckets
 * @param index the bucket
 * @param isMoving whether its packets go to the controller
 */
public record BucketCookie(
    int vipNumber, int memberNumber, BucketKey key, int index, boolean isMoving) {
  private static final int MIN_BITS = Integer.numberOfTrailingZeros(BucketKey.MIN);

  U64 cookie() {
    return CookieKind.BUCKET.cookie(
        CookieField.VIP.at(vipNumber)
            | CookieField.MEMBER.at(memberNumber)
            | CookieField.BUCKET_IS_MOVING.at(isMoving ? 1 : 0)
            | CookieField.BUCKET_BY_ADDRESS.at(key.source() == BucketSource.ADDRESS ? 1 : 0)
            | CookieField.BUCKET_COUNT.at(key.bits() - MIN_BITS)
            | CookieField.BUCKET_INDEX.at(index));
  }

  /** A VIP's buckets of one number. */
  static MaskedCookie ofSet(int vipNumber, BucketKey key) {
    return CookieKind.BUCKET
        .all()
        .with(CookieField.VIP, vipNumber)
        .with(CookieField.BUCKET_COUNT, key.bits() - MIN_BITS);
  }

  /** The content of a cookie; empty if it is not that of a bucket. */
  public static Optional<BucketCookie> of(U64 cookie) {
    if (!Cookie.is(cookie, CookieKind.BUCKET)) {
      return Optional.empty();
    }
    BucketKey key =
        new BucketKey(
            CookieField.BUCKET_BY_ADDRESS.in(cookie) == 0
                ? BucketSource.PORT
                : BucketSource.ADDRESS,
            1 << (MIN_BITS + (int) CookieField.BUCKET_COUNT.in(cookie)));
    return Optional.of(
        new BucketCookie(
            Cookie.vipNumber(cookie),
            Cookie.memberNumber(cookie),
            key,
            (int) CookieField.BUCKET_INDEX.in(cookie) & (key.count() - 1),
            CookieField.BUCKET_IS_MOVING.in(cookie) != 0));
  }
}
