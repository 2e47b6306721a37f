package io.malob.algorithm.subflow;

/** The load of a route on its links. The arrays are never modified. */
final class Footprint {
  private final int[] edges;
  private final double[] amounts;

  /**
   * The load of a route.
   *
   * @param edges their numbers
   * @param amounts sub-flows on each of them; later elements are ignored
   */
  Footprint(int[] edges, double[] amounts) {
    this.edges = edges;
    this.amounts = amounts;
  }

  int[] edges() {
    return edges;
  }

  double[] amounts() {
    return amounts;
  }

  /** Adds it to loads, by edge. */
  void addTo(double[] loads) {
    for (int i = 0; i < edges.length; i++) {
      loads[edges[i]] += amounts[i];
    }
  }

  /** How much of it is on a link. */
  double on(int edge) {
    double amount = 0;
    for (int i = 0; i < edges.length; i++) {
      amount += edges[i] == edge ? amounts[i] : 0;
    }
    return amount;
  }
}
