package io.malob.algorithm.subflow.paper;

import io.malob.algorithm.subflow.Footprint;
import io.malob.algorithm.subflow.Loads;
import io.malob.algorithm.subflow.Network;
import io.malob.algorithm.subflow.PlanRequest;

/**
 * Loads with an energy, which annealing lowers: the sum of the squares of all values; and, once a
 * window is set, many times the square of each value's distance from the window.
 */
final class AnnealingLoads extends Loads {
  private static final double OUTSIDE = 200;

  private double lowest = Double.NEGATIVE_INFINITY;
  private double highest = Double.POSITIVE_INFINITY;
  private double energy;

  AnnealingLoads(Network network, PlanRequest request) {
    super(network, request.capacities(), request.background());
    setWindow(lowest, highest);
  }

  @Override
  protected void add(int edge, double subflows) {
    energy += energyChange(edge, subflows);
    super.add(edge, subflows);
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
    return energyOf(value(edge, load(edge) + subflows)) - energyOf(value(edge));
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

  double energy() {
    return energy;
  }

  /** Sets a penalty for values outside of these limits. */
  void setWindow(double lowest, double highest) {
    this.lowest = lowest;
    this.highest = highest;
    energy = 0;
    for (int edge = 0; edge < edgeCount(); edge++) {
      energy += energyOf(value(edge));
    }
  }

  private double energyOf(double value) {
    double outside = value > highest ? value - highest : value < lowest ? lowest - value : 0;
    return value * value + OUTSIDE * outside * outside;
  }
}
