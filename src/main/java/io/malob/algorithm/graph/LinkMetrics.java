package io.malob.algorithm.graph;

import java.util.stream.IntStream;

/** The costs and widths of links in searches; many paths share them. */
record LinkMetrics(LinkCosts costs, LinkWidths widths) {
  /**
   * Widths that differ by less than a tenth are the same: the free capacity of links fluctuates.
   */
  private static final double NOISE = 0.1;

  /** Only costs count. */
  static LinkMetrics byCost(LinkCosts costs, int links) {
    return new LinkMetrics(costs, LinkWidths.alike(links));
  }

  /** The links that differ from others by more than noise. */
  int[] unlike(LinkMetrics now) {
    return IntStream.range(0, widths.count())
        .filter(link -> costsOther(link, now) || isNarrower(link, now) || isWider(link, now))
        .toArray();
  }

  boolean costsOther(int link, LinkMetrics now) {
    return !now.costs.isLike(costs, link);
  }

  // not by the difference, which is undefined for two infinite widths
  boolean isNarrower(int link, LinkMetrics now) {
    return now.widths.of(link) < (1 - NOISE) * widths.of(link);
  }

  boolean isWider(int link, LinkMetrics now) {
    return now.widths.of(link) > (1 + NOISE) * widths.of(link);
  }
}
