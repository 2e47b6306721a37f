package io.malob.algorithm;

/** What rules take for the load of servers and links. */
public enum Counting {
  /** What was measured, and what was placed and has ended since. */
  PLACED_SINCE,

  /**
   * What was measured and nothing else, as in the MALOB thesis: until the next measurement all
   * connections go to the same server. To compare with.
   */
  MEASURED_ONLY
}
