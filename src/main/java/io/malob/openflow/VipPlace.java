package io.malob.openflow;

import com.google.common.collect.ImmutableSortedSet;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Which packets to an address are for a VIP.
 *
 * @param address the VIP's address
 * @param vlans the VLANs, 0 for untagged packets; empty for all packets
 */
public record VipPlace(IPAddress<?> address, ImmutableSortedSet<Integer> vlans) {
  /** All packets to an address. */
  public static VipPlace inAllVlans(IPAddress<?> address) {
    return new VipPlace(address, ImmutableSortedSet.of());
  }
}
