package io.malob.state.network;

/**
 * How much one direction of a link can carry.
 *
 * @param bitsPerSecond positive
 * @param source who says so
 */
public record LinkCapacity(double bitsPerSecond, Source source) {

  /** Who tells capacities; the first wins. */
  public enum Source {
    /** An operator. */
    CONFIGURED,
    /** The port, by its speed. */
    PORT
  }
}
