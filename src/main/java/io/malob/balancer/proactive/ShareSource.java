package io.malob.balancer.proactive;

import io.malob.algorithm.bucket.ShareProposal;
import io.malob.algorithm.bucket.ShareProposal.Demand;
import io.malob.openflow.bucket.BucketKey;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Asks the VIP's algorithm for the shares of its members at each edge, at one moment. For one
 * thread.
 */
final class ShareSource {
  private final BucketInput now;
  private final double[] open;
  private final double[] lifetimes;
  private final List<EdgeBuckets> edges;

  /** What the edges give to members, in packets per second; empty until it is needed. */
  private double[] given = new double[0];

  /**
   * The proposals for some edges.
   *
   * @param open the VIP's own connections on each candidate
   * @param lifetimes their mean lifetime in seconds; not a number if unknown
   * @param edges all edges of the VIP
   */
  ShareSource(BucketInput now, double[] open, double[] lifetimes, Collection<EdgeBuckets> edges) {
    this.now = now;
    this.open = open;
    this.lifetimes = lifetimes;
    this.edges = List.copyOf(edges);
  }

  /** The shares of the candidates, which sum to 1, or all zero if none can be reached. */
  double[] propose(EdgeBuckets edge) {
    return now.candidates().isEmpty()
        ? new double[0]
        : ShareProposal.of(
            now.plan().choice().algorithm(),
            now.candidates(),
            demand(edge),
            edge.switchId(),
            now.plan().profile(),
            now.network(),
            now.network().values().counting(),
            edge.key().map(BucketKey::count).orElse(BucketKey.MIN));
  }

  private Demand demand(EdgeBuckets edge) {
    if (given.length == 0) {
      given = new double[open.length];
      edges.forEach(each -> add(given, each, 1));
    }
    double[] elsewhere = given.clone();
    add(elsewhere, edge, -1);
    double own = edge.traffic().weight();
    double others = Arrays.stream(elsewhere).map(each -> Math.max(0, each)).sum();
    double[] shares =
        Arrays.stream(elsewhere).map(each -> others > 0 ? Math.max(0, each) / others : 0).toArray();
    return new Demand(open, lifetimes, shares, own / (own + others));
  }

  /** Adds what an edge gives to each candidate; a sign of -1 subtracts it. */
  private void add(double[] sums, EdgeBuckets edge, int sign) {
    Map<Integer, Double> shares = edge.shares().byMember();
    double packets = sign * edge.traffic().weight();
    for (int index = 0; index < sums.length; index++) {
      int number = now.candidates().get(index).number();
      sums[index] += packets * shares.getOrDefault(number, 0.0);
    }
  }
}
