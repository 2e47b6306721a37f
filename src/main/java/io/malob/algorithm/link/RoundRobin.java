package io.malob.algorithm.link;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * RR: uplinks in turn, regardless of their capacities (section 5.1.1 of Al-Najjar and others,
 * Flow-level load balancing of HTTP traffic using OpenFlow, and its extension to dynamic
 * capacities). Uplinks may come and go between two turns. For one thread.
 */
final class RoundRobin implements UplinkPicker {
  private int last;

  /** The next of these after the one whose turn was last; the first again after the last. */
  @Override
  public UplinkLoad pick(List<UplinkLoad> usable) {
    UplinkLoad chosen =
        usable.stream().filter(each -> each.number() > last).findFirst().orElse(usable.get(0));
    last = chosen.number();
    return chosen;
  }

  /** The next of those with the lowest cost. */
  UplinkLoad pickCheapest(List<UplinkLoad> usable, double[] costs) {
    double min = Arrays.stream(costs).min().orElseThrow();
    return pick(
        IntStream.range(0, costs.length)
            .filter(i -> costs[i] <= min)
            .mapToObj(usable::get)
            .toList());
  }
}
