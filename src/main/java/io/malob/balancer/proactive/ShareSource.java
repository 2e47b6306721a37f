package io.malob.balancer.proactive;

import io.malob.algorithm.bucket.ShareProposal;
import org.projectfloodlight.openflow.types.DatapathId;

/** Asks the VIP's algorithm for the shares of its members. Pure. */
final class ShareSource {
  private ShareSource() {}

  /**
   * The shares of the candidates, which sum to 1, or all zero if none can be reached.
   *
   * @param open the VIP's own connections on each candidate
   * @param lifetimes their mean lifetime in seconds; not a number if unknown
   */
  static double[] propose(
      Situation now, DatapathId edge, double[] open, double[] lifetimes, int buckets) {
    return now.candidates().isEmpty()
        ? new double[0]
        : ShareProposal.of(
            now.plan().choice().algorithm(),
            now.candidates(),
            open,
            lifetimes,
            edge,
            now.plan().profile(),
            now.network(),
            now.network().values().counting(),
            buckets);
  }
}
