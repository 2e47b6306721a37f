package io.malob.algorithm.subflow.paper;

import io.malob.algorithm.subflow.Loads;
import io.malob.algorithm.subflow.Network;
import io.malob.algorithm.subflow.Score;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoublePredicate;

/**
 * Bounds for all plans. A maximum is possible at most if each link's use in any case is within it,
 * if all links together have room for all routes, and if the links of each switch have room for all
 * routes through it. Likewise a minimum is possible at most if there are enough sub-flows to fill
 * all links up to it.
 *
 * <p>By the links of a switch: a Hamiltonian path uses two of them, but one where it begins, and
 * one where it ends; and there are as many ends as paths.
 */
final class Bounds {
  private static final int HALVINGS = 100;
  private static final double ROUNDING = 1e-9;

  private final Network network;
  private final Loads loads;
  private final Usage usage;
  private final boolean isWhole;
  private final StarUse stars;
  private final double maximum;
  private final double minimum;

  /**
   * The bounds for all demands together.
   *
   * @param egress by number, the switches that every route has to reach
   * @param loads for capacities and background loads
   */
  Bounds(Network network, boolean[] egress, List<Choice> choices, Loads loads) {
    this.network = network;
    this.loads = loads;
    this.usage = new Usage(network, egress, choices);
    this.isWhole = choices.stream().allMatch(choice -> choice.counter().isWhole());
    this.stars = new StarUse(network, egress, choices);
    double top = 1;
    for (int edge = 0; edge < network.edgeCount(); edge++) {
      top = Math.max(top, loads.value(edge, usage.max()[edge]));
    }
    maximum = boundary(top, 0, value -> !canHaveMaximum(value));
    minimum = boundary(0, top, value -> !canHaveMinimum(value));
  }

  /** No plan has a smaller maximum. */
  double maximum() {
    return maximum;
  }

  /** No plan has a larger minimum. */
  double minimum() {
    return minimum;
  }

  /** Whether no plan is better, except in its sum of squares. */
  boolean areReachedBy(Score score) {
    return Score.compare(score.maximum(), maximum) <= 0
        && Score.compare(score.minimum(), minimum) >= 0;
  }

  /** The last possible value between a possible and an impossible one, by bisection. */
  private static double boundary(double possible, double impossible, DoublePredicate cannot) {
    double can = possible;
    double not = impossible;
    if (!cannot.test(not)) {
      return not;
    }
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (can + not) / 2;
      if (cannot.test(middle)) {
        not = middle;
      } else {
        can = middle;
      }
    }
    return can;
  }

  private boolean canHaveMaximum(double value) {
    double[] room = new double[network.edgeCount()];
    for (int edge = 0; edge < room.length; edge++) {
      double within = loads.subflows(edge, value) + ROUNDING;
      room[edge] = Math.min(usage.max()[edge], isWhole ? Math.floor(within) : within);
      if (room[edge] < usage.min()[edge] - ROUNDING) {
        return false;
      }
    }
    return sum(room) >= usage.minTotal() - slack(usage.minTotal())
        && (!isWhole || stars.fitsInto(room));
  }

  private boolean canHaveMinimum(double value) {
    double[] need = new double[network.edgeCount()];
    for (int edge = 0; edge < need.length; edge++) {
      double wanted = loads.subflows(edge, value) - ROUNDING;
      need[edge] = Math.max(usage.min()[edge], isWhole ? Math.ceil(wanted) : wanted);
      if (need[edge] > usage.max()[edge] + ROUNDING) {
        return false;
      }
    }
    return sum(need) <= usage.maxTotal() + slack(usage.maxTotal())
        && (!isWhole || stars.fill(need));
  }

  private static double sum(double[] values) {
    return Arrays.stream(values).sum();
  }

  private static double slack(double value) {
    return ROUNDING * Math.max(1, value);
  }
}
