package io.malob.algorithm.subflow;

/**
 * The load of a route on its links. The arrays are never modified.
 *
 * @param edges their numbers
 * @param amounts sub-flows on each of them; later elements are ignored
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and not changed
public record Footprint(int[] edges, double[] amounts) {
  /** Adds it to loads, by edge. */
  public void addTo(double[] loads) {
    for (int i = 0; i < edges.length; i++) {
      loads[edges[i]] += amounts[i];
    }
  }

  /** How much of it is on a link. */
  public double on(int edge) {
    double amount = 0;
    for (int i = 0; i < edges.length; i++) {
      amount += edges[i] == edge ? amounts[i] : 0;
    }
    return amount;
  }
}
