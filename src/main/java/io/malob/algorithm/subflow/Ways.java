package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import java.util.SplittableRandom;

/**
 * The ways that one identity may take, each as directed links, every link after the one by which
 * its source is reached. The arrays are never modified.
 */
interface Ways {
  /** None was found; there may be one all the same. */
  int[] NONE = {};

  /** A random one. */
  int[] any(SplittableRandom random);

  /** One to begin with. Quick. */
  default int[] start(SplittableRandom random) {
    return any(random);
  }

  /** Those that do not differ much from one. Quick. */
  Neighborhood around(int[] way);

  /** A random one that has nothing on an edge, or {@link #NONE}. */
  int[] without(int edge, int[] way, SplittableRandom random);

  /** All of them, where they are known and few; else empty. */
  default ImmutableList<int[]> all() {
    return ImmutableList.of();
  }
}
