package io.malob.openflow;

import org.projectfloodlight.openflow.types.U64;

/** The places of numbers in cookies. Which of them a rule has depends on its {@link CookieKind}. */
public enum CookieField {
  /** An id of whatever the kind is about. */
  ID(0, 32),

  // Rules of connections, and of proactive VIPs, which have a code instead of a generation.
  VIP(36, 12),
  MEMBER(20, 16),
  GENERATION(0, 20),

  // Buckets, instead of a generation.
  BUCKET_IS_MOVING(17, 1),
  BUCKET_BY_ADDRESS(16, 1),
  BUCKET_COUNT(13, 3),
  BUCKET_INDEX(0, 13),

  /** The run of the controller that rules of sub-flows are of. */
  EPOCH(0, 16),

  // Rules of an end host.
  UPLINK(40, 8),
  FLOW(0, 40);

  private final int shift;
  private final long max;

  CookieField(int shift, int bits) {
    this.shift = shift;
    this.max = (1L << bits) - 1;
  }

  /** The max value. */
  public long max() {
    return max;
  }

  /** The bits of a value, whose higher bits are cut off. */
  public long at(long value) {
    return (value & max) << shift;
  }

  /** The value in a cookie. */
  public long in(U64 cookie) {
    return cookie.getValue() >>> shift & max;
  }

  /** The bits of this field. */
  public long mask() {
    return max << shift;
  }
}
