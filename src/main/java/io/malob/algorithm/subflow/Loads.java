package io.malob.algorithm.subflow;

import io.malob.algorithm.graph.UndirectedLink;
import java.util.Map;

/**
 * The loads of links while routes are exchanged. A link's value is its load, with its background
 * load, divided by its capacity. One thread only.
 *
 * <p>Annealing lowers the energy: the sum of the squares of all values; and, once a window is set,
 * many times the square of each value's distance from the window.
 */
final class Loads {
  private static final double OUTSIDE = 200;

  private final double[] loads;
  private final double[] background;
  private final double[] perUnit;
  private double lowest = Double.NEGATIVE_INFINITY;
  private double highest = Double.POSITIVE_INFINITY;
  private double energy;

  Loads(
      Network network,
      Map<UndirectedLink, Double> capacities,
      Map<UndirectedLink, Double> background) {
    loads = new double[network.edgeCount()];
    this.background =
        network.edges().stream().mapToDouble(edge -> background.getOrDefault(edge, 0.0)).toArray();
    perUnit =
        network.edges().stream()
            .mapToDouble(edge -> 1 / capacities.getOrDefault(edge, 1.0))
            .toArray();
    setWindow(lowest, highest);
  }

  /** Puts a route on its links. */
  void add(Footprint footprint) {
    change(footprint, 1);
  }

  /** Takes a route off its links. */
  void remove(Footprint footprint) {
    change(footprint, -1);
  }

  private void change(Footprint footprint, int sign) {
    int[] edges = footprint.edges();
    double[] amounts = footprint.amounts();
    for (int i = 0; i < edges.length; i++) {
      add(edges[i], sign * amounts[i]);
    }
  }

  /** Moves a route with the given number of sub-flows to other edges. */
  void change(Neighborhood change, double subflows) {
    for (int i = 0; i < change.leftCount(); i++) {
      add(change.left(i), -subflows);
    }
    for (int i = 0; i < change.enteredCount(); i++) {
      add(change.entered(i), subflows);
    }
  }

  private void add(int edge, double subflows) {
    energy += energyChange(edge, subflows);
    loads[edge] += subflows;
  }

  /**
   * The increase of the energy if a route with the given number of sub-flows moved to other edges.
   */
  double energyChange(Neighborhood change, double subflows) {
    double sum = 0;
    for (int i = 0; i < change.leftCount(); i++) {
      sum += energyChange(change.left(i), -subflows);
    }
    for (int i = 0; i < change.enteredCount(); i++) {
      sum += energyChange(change.entered(i), subflows);
    }
    return sum;
  }

  private double energyChange(int edge, double subflows) {
    return energyOf(value(edge, loads[edge] + subflows)) - energyOf(value(edge));
  }

  /** The increase of the energy with one route instead of another. */
  double energyChange(Footprint before, Footprint after) {
    double then = energy;
    remove(before);
    add(after);
    then = energy - then;
    remove(after);
    add(before);
    return then;
  }

  /** What annealing lowers. */
  double energy() {
    return energy;
  }

  /** Sets a penalty for values outside of these limits. */
  void setWindow(double lowest, double highest) {
    this.lowest = lowest;
    this.highest = highest;
    energy = 0;
    for (int edge = 0; edge < loads.length; edge++) {
      energy += energyOf(value(edge));
    }
  }

  private double energyOf(double value) {
    double outside = value > highest ? value - highest : value < lowest ? lowest - value : 0;
    return value * value + OUTSIDE * outside * outside;
  }

  /** The sub-flows on a link, without its background load. */
  double load(int edge) {
    return loads[edge];
  }

  /** The load of a link with its background load, divided by its capacity. */
  double value(int edge) {
    return (background[edge] + loads[edge]) * perUnit[edge];
  }

  /** The value that a link would have with this many sub-flows. */
  double value(int edge, double subflows) {
    return (background[edge] + subflows) * perUnit[edge];
  }

  /** The sub-flows that give a link this value. */
  double subflows(int edge, double value) {
    return value / perUnit[edge] - background[edge];
  }

  int edgeCount() {
    return loads.length;
  }

  Score score() {
    return score(loads);
  }

  /** Whether the score is better than this. Fast if it is not. */
  boolean areBetterThan(Score score) {
    double maximum = Double.NEGATIVE_INFINITY;
    double minimum = Double.POSITIVE_INFINITY;
    for (int edge = 0; edge < loads.length; edge++) {
      double value = value(edge);
      maximum = Math.max(maximum, value);
      minimum = Math.min(minimum, value);
    }
    return new Score(maximum, minimum, Double.NEGATIVE_INFINITY).isBetterThan(score)
        && score().isBetterThan(score);
  }

  /** The score with these loads. */
  Score score(double[] subflows) {
    double maximum = Double.NEGATIVE_INFINITY;
    double minimum = Double.POSITIVE_INFINITY;
    double squares = 0;
    for (int edge = 0; edge < subflows.length; edge++) {
      double value = value(edge, subflows[edge]);
      maximum = Math.max(maximum, value);
      minimum = Math.min(minimum, value);
      squares += value * value;
    }
    return subflows.length == 0 ? new Score(0, 0, 0) : new Score(maximum, minimum, squares);
  }
}
