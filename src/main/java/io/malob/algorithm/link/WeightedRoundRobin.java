package io.malob.algorithm.link;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * WRR: uplinks in turn, each as often as its share of all capacities says. With constant shares,
 * the flows of each uplink differ from its share of all flows by less than 1 at any time, for any
 * number of uplinks. That is the chairman assignment problem, and this is the rule of R. Tijdeman
 * (1980) for it: each uplink has a credit, which grows by its share with every flow and falls by 1
 * with each of its own. Of the uplinks with a credit of at least d = 1 / (2 N - 2), the next is the
 * uplink whose credit, at its present growth, would reach 1 - d first.
 *
 * <p>Shares may change at any time: they are parts of 1, and credits are flows, so that a change
 * neither gives a burst nor loses a turn, and the flows differ from the sum of the shares as they
 * were by less than 1 still with up to three uplinks. With more uplinks, no rule can guarantee that
 * without knowing the next change. A new or returning uplink starts without credit; the credit of a
 * removed uplink is divided among the others.
 *
 * <p>Algorithm 2 of the paper on dynamic capacities (section 5.1.2) drifts. Weights are percents,
 * each flow goes to entry (flow counter modulo number of entries) of those that are not used up: so
 * uplinks alternate evenly until the smaller weight is used up; then all flows go to the uplink
 * with the larger weight. The proportions are right only at the end of a round of about 100 flows,
 * and no better than rounding to percents; within it an uplink with two thirds falls 11 flows
 * behind, and new weights have no effect until all old ones are used up. For one thread.
 */
final class WeightedRoundRobin implements UplinkPicker {
  /** The max rounding error of sums of shares; among equals, the smaller number goes first. */
  private static final double ROUNDING = 1e-9;

  private Map<Integer, Double> credits = Map.of();

  @Override
  public UplinkLoad pick(List<UplinkLoad> usable) {
    double[] shares = Capacities.shares(usable);
    double[] grown = grownCredits(usable, shares);
    int chosen = choose(grown, shares);
    grown[chosen] -= 1;
    Map<Integer, Double> kept = new HashMap<>();
    for (int i = 0; i < grown.length; i++) {
      kept.put(usable.get(i).number(), grown[i]);
    }
    credits = kept;
    return usable.get(chosen);
  }

  /** Together 1, regardless of changes of the uplinks. */
  private double[] grownCredits(List<UplinkLoad> usable, double[] shares) {
    double[] grown = new double[shares.length];
    double sum = 0;
    for (int i = 0; i < grown.length; i++) {
      grown[i] = credits.getOrDefault(usable.get(i).number(), 0.0);
      sum += grown[i];
    }
    for (int i = 0; i < grown.length; i++) {
      grown[i] += shares[i] * (1 - sum);
    }
    return grown;
  }

  private static int choose(double[] credit, double[] shares) {
    int count = credit.length;
    double margin = 1.0 / Math.max(2, 2 * count - 2);
    int chosen = 0;
    double first = Double.POSITIVE_INFINITY;
    for (int i = 0; i < count; i++) {
      double missing = 1 - margin - credit[i];
      // overdue uplinks in the order of their delay
      double due = missing > 0 ? missing / shares[i] : missing;
      if (credit[i] >= margin - ROUNDING && due < first - ROUNDING) {
        chosen = i;
        first = due;
      }
    }
    return chosen;
  }
}
