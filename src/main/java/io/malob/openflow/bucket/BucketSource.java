package io.malob.openflow.bucket;

import java.util.Locale;

/** The part of a client's packet that chooses its bucket. */
public enum BucketSource {
  /**
   * The low bits of the client's port, without the lowest: systems prefer ports of one parity. The
   * connections of a single client spread over all buckets.
   */
  PORT,
  /**
   * The low bits of the client's address, for switches that cannot mask ports. All connections of a
   * client are in one bucket.
   */
  ADDRESS;

  /** Its name in REST and logs. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
