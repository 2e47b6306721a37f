package io.malob.algorithm.link;

import java.util.List;

/**
 * MBW: the uplink with the largest available bandwidth, which is its capacity less its rate
 * (equation 1 in section 5.1.2 of the paper on dynamic capacities). Among equals, and if no
 * capacity is known, in turn. An operator's weight is not a bandwidth, and is ignored.
 *
 * <p>This is the paper's rule, with its weakness: all flows between two measurements go to the same
 * uplink, because the rate does not include them yet, and this rule does not estimate them. {@link
 * LeastExpectedBytes} is the rule that counts them. For one thread.
 */
final class MaximumBandwidth implements UplinkPicker {
  private final RoundRobin turn = new RoundRobin();

  @Override
  public UplinkLoad pick(List<UplinkLoad> usable) {
    double[] lacking = Capacities.bps(usable);
    boolean known = usable.stream().anyMatch(each -> each.capacityBps() > 0);
    for (int i = 0; i < lacking.length; i++) {
      lacking[i] = known ? usable.get(i).rateBps() - lacking[i] : 0;
    }
    return turn.pickCheapest(usable, lacking);
  }
}
