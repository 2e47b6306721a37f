package io.malob.algorithm;

/** The values that rules use as the load of servers and links. */
public enum Counting {
  /** Measurements, corrected by connections that were placed or have ended since. */
  PLACED_SINCE,

  /**
   * Measurements alone, as in the MALOB thesis: until the next measurement all connections go to
   * the same server. For comparison.
   */
  MEASURED_ONLY
}
