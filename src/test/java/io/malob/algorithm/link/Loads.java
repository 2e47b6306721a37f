package io.malob.algorithm.link;

import java.util.List;
import java.util.stream.IntStream;

/** Uplinks for tests, numbered from 1. */
final class Loads {
  private Loads() {}

  /** Idle uplinks of these capacities. */
  static List<UplinkLoad> ofCapacities(double... bps) {
    return IntStream.range(0, bps.length)
        .mapToObj(i -> new UplinkLoad(i + 1, 0, (long) bps[i], 0, 0, 0, 0))
        .toList();
  }

  /** Idle uplinks of unknown capacity, with these weights. */
  static List<UplinkLoad> ofWeights(double... weights) {
    return IntStream.range(0, weights.length)
        .mapToObj(i -> new UplinkLoad(i + 1, weights[i], 0, 0, 0, 0, 0))
        .toList();
  }
}
