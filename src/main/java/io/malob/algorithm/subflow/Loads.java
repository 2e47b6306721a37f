package io.malob.algorithm.subflow;

import io.malob.algorithm.graph.UndirectedLink;
import java.util.Map;

/**
 * The loads of links while routes are exchanged. A link's value is its load, with its background
 * load, divided by its capacity. One thread only.
 */
public class Loads {
  private final double[] loads;
  private final double[] background;
  private final double[] perUnit;

  /**
   * No sub-flows yet.
   *
   * @param capacities of links, in any unit; a missing link counts as 1
   * @param background the background loads of links, in sub-flows; a missing link has none
   */
  public Loads(
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
  }

  /** Puts a route on its links. */
  public void add(Footprint footprint) {
    change(footprint, 1);
  }

  /** Takes a route off its links. */
  public void remove(Footprint footprint) {
    change(footprint, -1);
  }

  private void change(Footprint footprint, int sign) {
    int[] edges = footprint.edges();
    double[] amounts = footprint.amounts();
    for (int i = 0; i < edges.length; i++) {
      add(edges[i], sign * amounts[i]);
    }
  }

  /** Adds sub-flows to an edge; a negative number takes them off. */
  protected void add(int edge, double subflows) {
    loads[edge] += subflows;
  }

  /** The sub-flows on a link, without its background load. */
  public double load(int edge) {
    return loads[edge];
  }

  /** The load of a link with its background load, divided by its capacity. */
  public double value(int edge) {
    return (background[edge] + loads[edge]) * perUnit[edge];
  }

  /** The value that a link would have with this many sub-flows. */
  public double value(int edge, double subflows) {
    return (background[edge] + subflows) * perUnit[edge];
  }

  /** The sub-flows that give a link this value. */
  public double subflows(int edge, double value) {
    return value / perUnit[edge] - background[edge];
  }

  public int edgeCount() {
    return loads.length;
  }

  public Score score() {
    return score(loads);
  }

  /** The score with these loads. */
  public Score score(double[] subflows) {
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
