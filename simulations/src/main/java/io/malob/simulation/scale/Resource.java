package io.malob.simulation.scale;

/**
 * A resource under a deployment.
 *
 * @param capacity in the unit of the demand
 */
public record Resource(String name, double demand, double capacity) {
  /** The part of the capacity that is used; above 1, it has run out. */
  public double utilization() {
    return demand / capacity;
  }
}
