package io.malob.algorithm.graph;

import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the links of one topology cost in a search: a path with a smaller sum of primary costs is
 * better, and of equal ones that with the smaller sum of secondary costs. Links can be left out.
 * Arrays are by the links' place in {@link Topology#links()}; nobody writes to them.
 */
public final class LinkCosts {
  /** One for each link: what counts is how many there are. */
  private static final long HOP = 1;

  /**
   * Latencies, in nanoseconds, differ by up to 0.1 ms and a twentieth from one probe to another.
   */
  private static final long NOISE = 100_000;

  private static final long NOISE_PART = 20;

  private final long @Nullable [] primary;
  private final long @Nullable [] secondary;
  private final double @Nullable [] widths;
  private final double leastWidth;

  private LinkCosts(
      long @Nullable [] primary,
      long @Nullable [] secondary,
      double @Nullable [] widths,
      double leastWidth) {
    this.primary = primary;
    this.secondary = secondary;
    this.widths = widths;
    this.leastWidth = leastWidth;
  }

  /**
   * The lowest sum of costs first, then the fewest links.
   *
   * @param cost of a link; not negative
   */
  public static LinkCosts of(Topology topology, ToLongFunction<DirectedLink> cost) {
    return latencyThenHops(topology.links().stream().mapToLong(cost).toArray());
  }

  /** Fewest links first, then the lowest sum of latencies. */
  static LinkCosts hopsThenLatency(long[] latencies) {
    return new LinkCosts(null, latencies, null, 0);
  }

  /** The lowest sum of latencies first, then the fewest links. */
  static LinkCosts latencyThenHops(long[] latencies) {
    return new LinkCosts(latencies, null, null, 0);
  }

  /** The lowest sum of latencies first, then the fewest links, over links that are so wide. */
  static LinkCosts latencyThenHops(long[] latencies, double[] widths, double leastWidth) {
    return new LinkCosts(latencies, null, widths, leastWidth);
  }

  long primary(int link) {
    return primary == null ? HOP : primary[link];
  }

  long secondary(int link) {
    return secondary == null ? HOP : secondary[link];
  }

  /**
   * Whether a link costs as good as what it cost in another search: small changes are noise, and
   * paths that follow noise cost more than they gain.
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

  boolean usable(int link) {
    return widths == null || widths[link] >= leastWidth;
  }
}
