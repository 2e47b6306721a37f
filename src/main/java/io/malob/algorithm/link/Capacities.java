package io.malob.algorithm.link;

import java.util.List;

/**
 * Assumed values of uplinks with unknown capacities. Pure.
 *
 * <p>An uplink of unknown capacity counts as the mean of the known ones: it gets its part until it
 * is measured, and never wins because it is unknown. But it counts as at least {@link #GROWTH}
 * times what it has recently carried: beside a slow uplink, the mean would keep a fast one as slow,
 * and traffic that does not fill a link disturbs its measurement. So its part grows until the link
 * is full, which measures it.
 */
final class Capacities {
  static final double GROWTH = 2;

  private Capacities() {}

  /** Each one's capacity in bit/s, in the order of the list; all 0 if none is known. */
  static double[] bps(List<UplinkLoad> uplinks) {
    double mean =
        uplinks.stream()
            .mapToLong(UplinkLoad::capacityBps)
            .filter(bps -> bps > 0)
            .average()
            .orElse(0);
    return uplinks.stream()
        .mapToDouble(each -> each.capacityBps() > 0 ? each.capacityBps() : assumed(each, mean))
        .toArray();
  }

  private static double assumed(UplinkLoad unknown, double mean) {
    return mean > 0 ? Math.max(mean, GROWTH * (double) unknown.peakBps()) : 0;
  }

  /**
   * The part of all flows, or bytes, that each uplink should carry; together 1. A weight that the
   * operator gave wins over the capacity. If some have weights and others have none, capacities are
   * brought to the scale of the weights by the uplinks that have both; if there is none, an uplink
   * without weight counts as the mean of the weights. Without any known value, the parts are equal.
   */
  static double[] shares(List<UplinkLoad> uplinks) {
    double[] shares = bps(uplinks);
    double weights = uplinks.stream().mapToDouble(UplinkLoad::weight).sum();
    if (weights > 0) {
      double weighted = uplinks.stream().filter(each -> each.weight() > 0).count();
      double capacities =
          uplinks.stream()
              .filter(each -> each.weight() > 0 && each.capacityBps() > 0)
              .mapToDouble(UplinkLoad::capacityBps)
              .sum();
      double weightsOfThose =
          uplinks.stream()
              .filter(each -> each.capacityBps() > 0)
              .mapToDouble(UplinkLoad::weight)
              .sum();
      for (int i = 0; i < shares.length; i++) {
        double own = uplinks.get(i).weight();
        double other =
            capacities > 0 ? shares[i] * weightsOfThose / capacities : weights / weighted;
        shares[i] = own > 0 ? own : other;
      }
    }
    return normalized(shares);
  }

  private static double[] normalized(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    for (int i = 0; i < values.length; i++) {
      values[i] = sum > 0 ? values[i] / sum : 1.0 / values.length;
    }
    return values;
  }
}
