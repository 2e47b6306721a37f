package io.malob.balancer.connection;

import io.malob.algorithm.FiveTuple;
import java.util.concurrent.locks.StampedLock;

/**
 * The dormant connections of some clients' addresses and ports. These are in the requests and in
 * the replies of a connection, so that either leads here.
 */
final class DormantStripe {
  /** How many rows are read or removed without a break. */
  static final int MAX_BATCH = 256;

  private static final int MAX_STRIPES = 256;

  /** Taken before the lock of a connection, never within it. */
  final StampedLock lock = new StampedLock();

  final DormantConnections rows;

  private DormantStripe(DormantConnections rows) {
    this.rows = rows;
  }

  /** A power of two of stripes, so that each has at least a batch of rows where many are kept. */
  static DormantStripe[] stripes(int maxDormant) {
    int count = Math.max(1, Math.min(MAX_STRIPES, Integer.highestOneBit(maxDormant / MAX_BATCH)));
    FairShares fairShares = new FairShares();
    DormantStripe[] stripes = new DormantStripe[count];
    for (int i = 0; i < count; i++) {
      stripes[i] = new DormantStripe(new DormantConnections(maxDormant / count, fairShares));
    }
    return stripes;
  }

  /** The stripe of a connection, by its requests or by its replies. */
  static DormantStripe of(FiveTuple tuple, boolean isReply, DormantStripe[] stripes) {
    int hash =
        isReply
            ? TupleHash.SECRET.ofClient(tuple.dstAddress(), tuple.dstPort(), tuple.protocol())
            : TupleHash.SECRET.ofClient(tuple.srcAddress(), tuple.srcPort(), tuple.protocol());
    return stripes[(int) ((Integer.toUnsignedLong(hash) * stripes.length) >>> Integer.SIZE)];
  }

  /** How many bytes its rows take. */
  long bytes() {
    long stamp = lock.readLock();
    try {
      return rows.bytes();
    } finally {
      lock.unlockRead(stamp);
    }
  }
}
