package io.malob.cluster.election;

/**
 * The order of OpenFlow's generation ids: an id is later than another if their difference, as a
 * signed number, is positive. So ids go on from 2^63-1, and from 2^64-1, as any others.
 */
public final class GenerationIds {
  private GenerationIds() {}

  /** Whether an id is later than another one. */
  public static boolean isLater(long id, long other) {
    return id - other > 0;
  }

  /** The later one of two; 0 stands for none. */
  public static long later(long one, long other) {
    if (one == 0 || other == 0) {
      return one + other;
    }
    return isLater(other, one) ? other : one;
  }
}
