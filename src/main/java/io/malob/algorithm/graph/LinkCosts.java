package io.malob.algorithm.graph;

import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The costs of the links of one topology in a search: a path with a smaller sum of primary costs is
 * better, and of equal ones that with the smaller sum of secondary costs. Arrays are by the links'
 * place in {@link Topology#links()}, and never written to.
 */
public final class LinkCosts {
  /** One for each link: the number of links counts. */
  private static final long HOP = 1;

  /**
   * Latencies, in nanoseconds, differ by up to 0.1 ms and a twentieth from one probe to another.
   */
  private static final long NOISE = 100_000;

  private static final long NOISE_PART = 20;

  private final long @Nullable [] primary;
  private final long @Nullable [] secondary;

  private LinkCosts(long @Nullable [] primary, long @Nullable [] secondary) {
    this.primary = primary;
    this.secondary = secondary;
  }

  /**
   * The lowest sum of costs first, then the fewest links.
   *
   * @param cost of a link; not negative
   */
  public static LinkCosts of(Topology topology, ToLongFunction<DirectedLink> cost) {
    long[] costs = topology.links().stream().mapToLong(cost).toArray();
    topology.adjacency().detours().lower(costs);
    return latencyThenHops(costs);
  }

  /** Fewest links first, then the lowest sum of latencies. */
  static LinkCosts hopsThenLatency(long[] latencies) {
    return new LinkCosts(null, latencies);
  }

  /** The lowest sum of latencies first, then the fewest links. */
  static LinkCosts latencyThenHops(long[] latencies) {
    return new LinkCosts(latencies, null);
  }

  /** The costs of some links, in the order of their numbers here. */
  LinkCosts of(int[] links) {
    return new LinkCosts(some(primary, links), some(secondary, links));
  }

  private static long @Nullable [] some(long @Nullable [] costs, int[] links) {
    if (costs == null) {
      return null;
    }
    long[] some = new long[links.length];
    for (int i = 0; i < links.length; i++) {
      some[i] = costs[links[i]];
    }
    return some;
  }

  long primary(int link) {
    return primary == null ? HOP : primary[link];
  }

  long secondary(int link) {
    return secondary == null ? HOP : secondary[link];
  }

  /**
   * Whether a link costs nearly the same as in another search: small changes are noise, and
   * following noise costs more than it gains.
   */
  boolean isLike(LinkCosts before, int link) {
    return isLike(primary, before.primary, link) && isLike(secondary, before.secondary, link);
  }

  private static boolean isLike(long @Nullable [] now, long @Nullable [] before, int link) {
    if (now == before || now == null || before == null) {
      return now == before;
    }
    long change = Math.abs(now[link] - before[link]);
    return change == 0 || change <= NOISE + before[link] / NOISE_PART;
  }
}
