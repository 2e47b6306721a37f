package io.malob.algorithm.link;

import java.util.List;
import java.util.stream.IntStream;

/**
 * ADAPTIVE: the uplink that would be done first with what it has to carry, if one more flow of mean
 * size came to it: least (expected bytes + mean size) / capacity. Open flows count by what they are
 * expected to carry still ({@link FlowSizes}), so that a large one counts for more than a small
 * one, and one that is placed counts at once, before any measurement sees it.
 *
 * <p>A weight of the operator takes the place of the capacity; see {@link Capacities#shares} for
 * what is not known. Among equals, in turn. For one thread.
 */
final class LeastExpectedBytes implements UplinkPicker {
  private final FlowSizes sizes;
  private final Turn turn = new Turn();

  LeastExpectedBytes(FlowSizes sizes) {
    this.sizes = sizes;
  }

  @Override
  public UplinkLoad pick(List<UplinkLoad> usable) {
    double[] cost = Capacities.shares(usable);
    double one = sizes.meanBytes();
    double min = Double.POSITIVE_INFINITY;
    for (int i = 0; i < cost.length; i++) {
      cost[i] = (usable.get(i).expectedBytes() + one) / cost[i];
      min = Math.min(min, cost[i]);
    }
    double best = min;
    return turn.next(
        IntStream.range(0, cost.length)
            .filter(i -> cost[i] <= best)
            .mapToObj(usable::get)
            .toList());
  }
}
