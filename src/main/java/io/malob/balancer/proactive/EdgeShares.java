package io.malob.balancer.proactive;

import io.malob.algorithm.Server;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The shares of new connections that members get at one client edge: the algorithm's proposals,
 * smoothed. For one thread at a time.
 */
final class EdgeShares {
  private static final long PROPOSAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The part of the shares before that is left after a second of new proposals. */
  private static final double KEPT_PER_SECOND = 0.8;

  /** A share that differs by less than this part of a bucket does not move buckets. */
  private static final double MIN_CHANGE = 0.001;

  /** By member number; their sum is 1, or 0 if no member can be reached. Replaced as a whole. */
  private Map<Integer, Double> shares = Map.of();

  /** The shares that a group of edges meets together; null if the edge is on its own. */
  private @Nullable Map<Integer, Double> common;

  /** The shares of the last assignment that could not be improved; empty if there is none. */
  private Map<Integer, Double> metShares = Map.of();

  private long proposedAtNanos;

  /**
   * Whether the algorithm is to propose new shares.
   *
   * @param hasBuckets whether buckets have been assigned
   * @param candidates the number of members that take new connections
   */
  boolean isDue(boolean hasBuckets, int candidates, long nowNanos) {
    boolean isNew = !hasBuckets && shares.size() != candidates;
    return isNew || nowNanos - proposedAtNanos >= PROPOSAL_NANOS;
  }

  /** When the algorithm last proposed shares. */
  long proposedAtNanos() {
    return proposedAtNanos;
  }

  /**
   * Takes a proposal over, smoothed unless the number of members has changed.
   *
   * @param candidates the members that take new connections
   * @param proposed the share of each of them
   */
  void propose(List<Server> candidates, double[] proposed, long nowNanos) {
    double weight = 1 - Math.pow(KEPT_PER_SECOND, (nowNanos - proposedAtNanos) / 1e9);
    proposedAtNanos = nowNanos;
    Map<Integer, Double> smoothed = new HashMap<>();
    double sum = 0;
    for (int index = 0; index < proposed.length; index++) {
      int number = candidates.get(index).number();
      @Nullable Double before = shares.get(number);
      double next =
          before == null || shares.size() != proposed.length
              ? proposed[index]
              : before + weight * (proposed[index] - before);
      smoothed.put(number, next);
      sum += next;
    }
    double total = sum;
    smoothed.replaceAll((number, share) -> total > 0 ? share / total : 0);
    shares = smoothed;
  }

  /** Keeps the shares instead of taking a proposal. */
  void keep(long nowNanos) {
    proposedAtNanos = nowNanos;
  }

  /** The shares of some members, which sum to 1, or all zero if they have none. */
  double[] of(List<Server> members) {
    Map<Integer, Double> wanted = wanted();
    double[] known =
        members.stream().mapToDouble(server -> wanted.getOrDefault(server.number(), 0.0)).toArray();
    double sum = Arrays.stream(known).sum();
    return Arrays.stream(known).map(share -> sum > 0 ? share / sum : 0).toArray();
  }

  /** What the algorithm proposes for this edge, by member number. */
  Map<Integer, Double> byMember() {
    return Map.copyOf(shares);
  }

  /** What buckets are to meet: the common shares of the edge's group, or else its own. */
  Map<Integer, Double> wanted() {
    @Nullable Map<Integer, Double> ofGroup = common;
    return ofGroup == null ? shares : ofGroup;
  }

  /**
   * The edge decides for a group: it meets the mean of their shares.
   *
   * @param weights the traffic of each edge that has shares, this one included; if there is no
   *     other, it is on its own
   */
  void combine(Map<EdgeShares, Double> weights) {
    if (weights.size() < 2) {
      common = null;
      return;
    }
    double total = weights.values().stream().mapToDouble(each -> each).sum();
    Map<Integer, Double> mean = new HashMap<>();
    weights.forEach(
        (each, weight) ->
            each.shares.forEach(
                (number, share) -> mean.merge(number, share * weight / total, Double::sum)));
    common = mean;
  }

  /** Another edge decides for the group: its shares are this edge's. */
  void follow(EdgeShares decider) {
    common = decider.wanted();
  }

  /** Whether they differ so little from those that the assignment meets that no bucket moves. */
  boolean areMet(int buckets) {
    double change = MIN_CHANGE / buckets;
    Map<Integer, Double> wanted = wanted();
    return metShares.keySet().equals(wanted.keySet())
        && wanted.entrySet().stream()
            .allMatch(
                each ->
                    Math.abs(each.getValue() - metShares.getOrDefault(each.getKey(), 0.0))
                        < change);
  }

  /** Whether the assignment meets the shares, so that it cannot be improved. */
  void setMet(boolean areMet) {
    metShares = areMet ? wanted() : Map.of();
  }

  /** The edge has no buckets any more. */
  void clear() {
    shares = Map.of();
    common = null;
    setMet(false);
  }
}
