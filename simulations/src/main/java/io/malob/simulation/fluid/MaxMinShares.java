package io.malob.simulation.fluid;

import java.util.Arrays;
import java.util.List;

/**
 * Max-min fair rates: no flow can get more without reducing a flow that has no more than itself. By
 * progressive filling: all flows grow together until a link is full, its flows stay, and the others
 * continue (D. Bertsekas, R. Gallager: Data Networks, 1992, section 6.5.2). Immutable; the rates
 * depend on the arguments alone.
 */
public final class MaxMinShares {
  private static final int NONE = -1;

  private final double[] capacities;

  /** Over links of these capacities, which are positive; rates have the same unit. */
  public MaxMinShares(double... capacities) {
    for (int link = 0; link < capacities.length; link++) {
      if (!(capacities[link] > 0)) {
        throw new IllegalArgumentException(
            "link " + link + " cannot have the capacity " + capacities[link]);
      }
    }
    this.capacities = capacities.clone();
  }

  /**
   * The rate of each flow.
   *
   * @param flows the links that each crosses, by number, each link once; a flow without links is
   *     infinitely fast
   */
  public double[] of(List<int[]> flows) {
    double[] left = capacities.clone();
    int[] rising = new int[left.length];
    for (int[] links : flows) {
      for (int link : links) {
        rising[link]++;
      }
    }
    double[] rates = new double[flows.size()];
    Arrays.fill(rates, Double.POSITIVE_INFINITY);
    for (int full = fullFirst(left, rising); full != NONE; full = fullFirst(left, rising)) {
      double share = left[full] / rising[full];
      for (int flow = 0; flow < rates.length; flow++) {
        if (Double.isInfinite(rates[flow]) && crosses(flows.get(flow), full)) {
          rates[flow] = share;
          for (int link : flows.get(flow)) {
            left[link] = Math.max(0, left[link] - share);
            rising[link]--;
          }
        }
      }
    }
    return rates;
  }

  /** The link that is full first while the remaining flows grow together. */
  private static int fullFirst(double[] left, int[] rising) {
    int first = NONE;
    for (int link = 0; link < left.length; link++) {
      if (rising[link] > 0
          && (first == NONE || left[link] / rising[link] < left[first] / rising[first])) {
        first = link;
      }
    }
    return first;
  }

  private static boolean crosses(int[] links, int wanted) {
    for (int link : links) {
      if (link == wanted) {
        return true;
      }
    }
    return false;
  }
}
