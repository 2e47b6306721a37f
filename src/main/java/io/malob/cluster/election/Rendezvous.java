package io.malob.cluster.election;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Weighted rendezvous hashing: each controller has a score for each switch, and the one with the
 * greatest is its master. If a controller leaves, only its own switches get another one; if it
 * returns, only these come back. Shares are proportional to weights.
 *
 * <p>Sources: D. Thaler and C. Ravishankar, "Using name-based mappings to increase hit rates",
 * IEEE/ACM Transactions on Networking 6 (1), 1998; the logarithm of weights: C. Schindelhauer and
 * G. Schomaker, "Weighted distributed hash tables", SPAA 2005.
 */
final class Rendezvous {
  /** Fixed, because all controllers must compute the same. */
  private static final HashFunction HASH = Hashing.murmur3_128(0);

  /** The number of bits of a hash that a double holds exactly. */
  private static final int BITS = 53;

  private Rendezvous() {}

  /** The score of a controller for a switch: positive, and greater is better. */
  static double score(String controller, int weight, DatapathId id) {
    long hash =
        HASH.newHasher()
            .putString(controller, StandardCharsets.UTF_8)
            .putLong(id.getLong())
            .hash()
            .asLong();
    // between 0 and 1, exclusive
    double uniform = ((hash >>> (Long.SIZE - BITS)) + 0.5) / (1L << BITS);
    return -weight / Math.log(uniform);
  }
}
