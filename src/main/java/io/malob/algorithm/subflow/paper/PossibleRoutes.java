package io.malob.algorithm.subflow.paper;

import com.google.common.collect.ImmutableList;
import java.util.SplittableRandom;

/**
 * The possible routes of one identity, each as directed links, every link after the link to its
 * source. The arrays are never modified.
 */
interface PossibleRoutes {
  /** None was found; one may still exist. */
  int[] NONE = {};

  /** A random one. */
  int[] any(SplittableRandom random);

  /** An initial route. Fast. */
  default int[] start(SplittableRandom random) {
    return any(random);
  }

  /** The routes similar to one. Fast. */
  Neighborhood around(int[] way);

  /** A random route that does not use an edge, or {@link #NONE}. */
  int[] without(int edge, int[] way, SplittableRandom random);

  /** All of them, if they are known and few; else empty. */
  default ImmutableList<int[]> all() {
    return ImmutableList.of();
  }
}
