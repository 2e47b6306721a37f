package io.malob.algorithm.link;

import java.util.List;

/**
 * RR: uplinks in turn, regardless of their capacities (section 5.1.1 of Al-Najjar and others,
 * Flow-level load balancing of HTTP traffic using OpenFlow, and its extension to dynamic
 * capacities). For one thread.
 */
final class RoundRobin implements UplinkPicker {
  private final Turn turn = new Turn();

  @Override
  public UplinkLoad pick(List<UplinkLoad> usable) {
    return turn.next(usable);
  }
}
