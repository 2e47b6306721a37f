package io.malob.balancer.api;

import io.malob.algorithm.Attachment;

/**
 * A MAC address that has two ports in turns: a bond that shares its flows over both, or two hosts
 * with one address.
 *
 * @param first one of the ports
 * @param second the other port
 */
public record SplitHost(Attachment first, Attachment second) {
  /** Whether the ports are at two switches. */
  public boolean isOverSwitches() {
    return !first.switchId().equals(second.switchId());
  }
}
