package io.malob.algorithm.link;

import java.util.List;

/**
 * ADAPTIVE: the uplink that would finish first with all its traffic and one more flow of mean size:
 * min (expected bytes + mean size) / capacity. Open flows count by their expected remainder ({@link
 * FlowSizes}): a large flow counts more than a small one, and a new flow counts at once, before any
 * measurement covers it.
 *
 * <p>A weight of the operator replaces the capacity; see {@link Capacities#shares} for unknown
 * values. Among equals, in turn. For one thread.
 */
final class LeastExpectedBytes implements UplinkPicker {
  private final FlowSizes sizes;
  private final RoundRobin turn = new RoundRobin();

  LeastExpectedBytes(FlowSizes sizes) {
    this.sizes = sizes;
  }

  @Override
  public UplinkLoad pick(List<UplinkLoad> usable) {
    double[] cost = Capacities.shares(usable);
    double one = sizes.meanBytes();
    for (int i = 0; i < cost.length; i++) {
      cost[i] = (usable.get(i).expectedBytes() + one) / cost[i];
    }
    return turn.pickCheapest(usable, cost);
  }
}
