package io.malob.state.network;

/**
 * The capacity of one direction of a link.
 *
 * @param bitsPerSecond positive
 * @param source its source
 */
public record LinkCapacity(double bitsPerSecond, Source source) {

  /** The sources of capacities; the first wins. */
  public enum Source {
    /** An operator. */
    CONFIGURED,
    /** The port, by its speed. */
    PORT
  }
}
